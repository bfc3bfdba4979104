// Two projects: `unit` needs nothing outside this repository; `server` shares one real Temporal development server.
import { defineConfig } from 'vitest/config';

const needsServer = [
  'test/workflows/**/*.test.ts',
  'test/crash/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/demo/**/*.test.ts',
  'test/source/**/*.test.ts',
  'test/lab/command.test.ts',
  'test/lab/interrupted.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    // Bounds for a stuck test, not expectations: tests wait on conditions.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: needsServer,
          globalSetup: ['test/support/compiled.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: needsServer,
          globalSetup: ['test/support/compiled.ts', 'test/support/shared-server.ts'],
        },
      },
    ],
    coverage: { provider: 'v8', include: ['src/core/**', 'src/identity/**'], reporter: ['text'] },
  },
});
