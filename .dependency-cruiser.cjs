// Who may import whom (docs/ARCHITECTURE.md). A path tells what may happen in it; this file makes a machine check it.
/** @type {(name: string, from: string, allowed: string[], comment: string) => import('dependency-cruiser').IForbiddenRuleType} */
const only = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { pathNot: [from, ...allowed] },
});

const temporal = (...names) => `node_modules/@temporalio/(${names.join('|')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only(
      'core-imports-nothing',
      '^src/core/',
      [],
      'The core is pure: no clock, no randomness, no module from outside.',
    ),
    only(
      'identity',
      '^src/identity/',
      ['^src/core/', '^(node:)?(crypto|fs|fs/promises|util|buffer|stream)$', 'node_modules/(zod|jsonc-parser)/'],
      '',
    ),
    only('ports', '^src/ports/', ['^src/core/'], 'Ports are interfaces over the core.'),
    only(
      'operations',
      '^src/operations/',
      ['^src/core/', '^src/identity/', '^src/ports/'],
      'Use cases know ports, not stores.',
    ),
    only('sqlite', '^src/sqlite/', ['^src/core/', '^(node:)?(fs|path)$', 'node_modules/(@types/)?better-sqlite3/'], ''),
    only(
      'ledger',
      '^src/ledger/',
      [
        '^src/core/',
        '^src/identity/',
        '^src/ports/',
        '^src/sqlite/',
        '^(node:)?crypto$',
        'node_modules/(@types/)?better-sqlite3/',
      ],
      '',
    ),
    only(
      'receiver',
      '^src/receiver/',
      [
        '^src/core/',
        '^src/ports/',
        '^src/sqlite/',
        '^(node:)?(crypto|fs|fs/promises|path)$',
        'node_modules/(@types/)?better-sqlite3/',
      ],
      '',
    ),
    only('drafter', '^src/drafter/', ['^src/core/', '^src/ports/'], 'A drafter writes text and records nothing.'),
    {
      name: 'workflows-values',
      severity: 'error',
      comment:
        'Workflow code is bundled for the sandbox: values only from the SDK and the core; activities cross as types.',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', '^src/core/', temporal('workflow', 'common')], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-types',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', '^src/core/', '^activities/', temporal('workflow', 'common')] },
    },
    only(
      'activities',
      '^activities/',
      ['^src/(core|operations|ports)/', temporal('activity', 'common')],
      'Activities add what only Temporal knows to the use cases.',
    ),
    {
      name: 'server-stands-alone',
      severity: 'error',
      comment: 'Finding and starting a Temporal server knows nothing of operations.',
      from: { path: '^src/server/' },
      to: { path: '^(src/(?!server/)|workflows|activities)' },
    },
    {
      name: 'nothing-imports-lab-or-tests',
      severity: 'error',
      from: { pathNot: '^(test|src/lab|bench)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'only-the-cli-imports-the-lab',
      severity: 'error',
      from: { pathNot: '^(test|scripts|src/lab|src/cli)/' },
      to: { path: '^src/lab/' },
    },
    {
      name: 'only-entries-import-the-cli',
      severity: 'error',
      from: { pathNot: '^(test|scripts|src/cli|src/lab)/' },
      to: { path: '^src/cli/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-the-package',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
