/** Crash points are inert unless an explicit option arms one, and then only that one, once. */
import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../src/core/errors.ts';
import { crashPoints } from '../../src/ports/crash-points.ts';
import { armedCrashPoints, crashManners, parseArming } from '../../src/worker/crash.ts';

const options = { exitCode: 17, pauseMarker: '/nowhere/paused-at-crash-point' };

describe('arming', () => {
  test.each(crashPoints)('%s can be armed in every manner, exit being the default', (point) => {
    expect(parseArming(point)).toEqual({ point, manner: 'exit' });
    for (const manner of crashManners) expect(parseArming(`${point}=${manner}`)).toEqual({ point, manner });
  });

  test.each([
    '',
    'somewhere',
    'claim.after-commit=',
    'claim.after-commit=stop',
    'claim.after-commit=exit=exit',
    '=exit',
  ])('%j arms nothing and is refused, with the points and manners there are', (text) => {
    const refused = (): CountersignError => {
      try {
        throw new Error(`${JSON.stringify(parseArming(text))} was armed`);
      } catch (thrown) {
        if (thrown instanceof CountersignError) return thrown;
        throw thrown;
      }
    };
    expect(refused().code).toBe('usage');
    expect(refused().hint).toContain(crashPoints.join(', '));
    expect(refused().hint).toContain(crashManners.join(', '));
  });
});

describe('a point', () => {
  test.each(crashPoints)('%s does nothing where none is armed, or another one is', (point) => {
    const unarmed = armedCrashPoints(null, options);
    unarmed.reach(point);
    for (const other of crashPoints.filter((name) => name !== point)) {
      armedCrashPoints({ point: other, manner: 'throw' }, options).reach(point);
    }
    expect(() => armedCrashPoints({ point, manner: 'throw' }, options).reach(point)).toThrow(point);
  });

  test('fails once: whoever survives it goes on without the fault', () => {
    const armed = armedCrashPoints({ point: 'claim.after-commit', manner: 'throw' }, options);
    expect(() => armed.reach('claim.after-commit')).toThrow('Deliberate fault at crash point claim.after-commit.');
    expect(() => armed.reach('claim.after-commit')).not.toThrow();
  });
});
