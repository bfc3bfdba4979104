/** A step as it is told. */
export interface Lines {
  /** One plain line each. */
  readonly happened: string;
  readonly proof: string;
}

export interface Told extends Lines {
  readonly title: string;
  readonly commands: readonly string[];
  readonly milliseconds: number;
}
