/** What a start of the development server takes and gives. */
import type { TemporalCli } from './find-cli.ts';
import type { ServerExit } from './launch.ts';
import type { SearchAttributes } from './search-attributes.ts';

export interface StartOptions {
  readonly cli: TemporalCli;
  readonly stateDir: string;
  /** Default: a free one. The same for `uiPort`. */
  readonly port?: number | undefined;
  readonly uiPort?: number | undefined;
  /** Default: `default`. Made when the server does not have it. */
  readonly namespace?: string | undefined;
  /** No web UI. Default: false. */
  readonly headless?: boolean | undefined;
  /** Default: those of the contract. */
  readonly searchAttributes?: SearchAttributes | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

export interface DevServer {
  readonly pid: number;
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly cliPath: string;
  readonly cliVersion: string;
  readonly serverVersion: string;
  /** It ran already. */
  readonly adopted: boolean;
  /** It ends with this process and `stop` ends it. False: another living process started it and will end it. */
  readonly owned: boolean;
  /** Settles when the server process is gone, whoever ended it. Waiting for it alone does not keep this process alive. */
  readonly exited: Promise<ServerExit>;
  stop(): Promise<void>;
}
