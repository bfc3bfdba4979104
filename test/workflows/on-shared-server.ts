/** An environment on the test run's own Temporal server, closed when the test is over. */
import { inject, onTestFinished } from 'vitest';
import { openEnvironment, settingsFor, type Environment } from '../support/temporal.ts';

export async function environment(namespace = inject('temporalNamespace')): Promise<Environment> {
  const opened = await openEnvironment(settingsFor(inject('temporalAddress'), namespace));
  onTestFinished(() => opened.close());
  return opened;
}
