/** The steps of the story, in the order in which they are told. */
import type { DevServer } from '../../server/index.ts';
import type { Narrator } from './narrator.ts';
import { endServer, type Service } from './processes.ts';
import { Scene, type Parts } from './scene.ts';
import type { Lines, Told } from './told.ts';

interface Performed<T extends Lines> {
  readonly answer: T;
  readonly told: Told;
}

export class Stage {
  readonly server: DevServer;
  readonly told: Told[] = [];
  /** Workers that still run when their step is over. */
  readonly workers: Service[] = [];
  private readonly parts: Parts;
  private readonly narrator: Narrator;

  constructor(parts: Parts, narrator: Narrator) {
    this.parts = parts;
    this.server = parts.server;
    this.narrator = narrator;
  }

  /** Does a step that is told later. */
  async perform<T extends Lines>(title: string, act: (scene: Scene) => Promise<T>): Promise<Performed<T>> {
    const started = Date.now();
    const scene = new Scene(this.parts);
    const answer = await act(scene);
    const { happened, proof } = answer;
    const milliseconds = Date.now() - started;
    return { answer, told: { title, happened, proof, commands: scene.commands, milliseconds } };
  }

  async tell<T extends Lines>(title: string, performing: Promise<Performed<T>>): Promise<T> {
    this.narrator.working(title);
    const { answer, told } = await performing;
    this.told.push(told);
    this.narrator.step(this.told.length, told);
    return answer;
  }

  /** Returns what `act` does: the two lines, and whatever later steps need. */
  step<T extends Lines>(title: string, act: (scene: Scene) => Promise<T>): Promise<T> {
    return this.tell(title, this.perform(title, act));
  }

  /** From here on there is no Temporal. */
  async stopTemporal(): Promise<void> {
    for (const worker of this.workers) await worker.stop();
    await endServer(this.server);
  }
}
