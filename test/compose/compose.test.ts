// docker-compose.yml and Dockerfile against the published Compose schema and against our own rules. No container engine
// takes part: this says that the files are well formed and agree with each other, not that the containers start.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import {
  dependenciesMakeSense,
  imagesArePinned,
  isPinned,
  longRunningServicesAreWatched,
  portsAreOnLoopback,
  type Service,
  type Topology,
  volumesAreDeclared,
  volumeSources,
  waitsFor,
  withDefaults,
} from './topology.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const STATE_DIRECTORY = '/var/lib/countersign';
// The contract, section 3.
const SEARCH_ATTRIBUTES = {
  CountersignState: 'Keyword',
  CountersignCase: 'Keyword',
  CountersignOperation: 'Keyword',
  CountersignObject: 'Keyword',
  CountersignDeadline: 'Datetime',
};

function parse(text: string): Topology {
  const document = parseDocument(text, { uniqueKeys: true });
  const [fault] = document.errors;
  if (fault) throw fault;
  return document.toJS() as Topology;
}

const schemaText = read('test/compose/compose-spec.schema.json');

function compileSchema() {
  const schema = JSON.parse(schemaText) as { $schema: string };
  const draft07 = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-07.json') as object;
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  formats.default(ajv);
  // The schema names its draft with https, the draft names itself with http.
  ajv.addMetaSchema({ ...draft07, $id: schema.$schema });
  return ajv.compile(schema);
}

const isComposeFile = compileSchema();
const composeText = read('docker-compose.yml');
const topology = parse(composeText);

/** A copy of the real file in which one thing was changed. */
function planted(change: (copy: Topology) => void): Topology {
  const copy = structuredClone(topology);
  change(copy);
  return copy;
}

function service(of: Topology, name: string): Service {
  const found = of.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line));
const finalStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

/** What COPY takes from the repository (not from another stage). */
const copied = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

describe('docker-compose.yml against the published schema', () => {
  it('is a valid Compose file', () => {
    isComposeFile(topology);
    expect(isComposeFile.errors ?? []).toEqual([]);
  });

  it('the schema is the published one', () => {
    const digest = createHash('sha256')
      .update(JSON.stringify(JSON.parse(schemaText)))
      .digest('hex');
    expect(digest).toBe('b2dc5daa8ce86f3b6a82dfe17afa0b5428b21d51a18bfb6e1ef304cf88e933ae');
  });

  it.each<[string, (copy: Topology) => void]>([
    ['an unknown key at the top', (copy) => Object.assign(copy, { servces: {} })],
    ['an unknown key of a service', (copy) => Object.assign(service(copy, 'worker'), { restarts: 'always' })],
    ['an unknown key of a health check', (copy) => Object.assign(service(copy, 'temporal').healthcheck!, { retry: 3 })],
    ['a condition nobody knows', (copy) => (service(copy, 'worker').depends_on!['temporal']!.condition = 'healthy')],
    ['a port that is an object without target type', (copy) => (service(copy, 'temporal').ports = [{}, true] as never)],
    ['a build that is a number', (copy) => (service(copy, 'worker').build = 7 as never)],
  ])('refuses %s', (_name, change) => {
    expect(isComposeFile(planted(change))).toBe(false);
  });

  it('a key given twice is refused by the parser', () => {
    expect(() => parse(`${composeText}\nservices: {}\n`)).toThrow(/unique/);
  });
});

describe('docker-compose.yml against our rules', () => {
  it.each([
    ['every image has an exact version', imagesArePinned],
    ['every long-running service has a health check and comes back', longRunningServicesAreWatched],
    ['every published port is on loopback', portsAreOnLoopback],
    ['every volume is declared and used', volumesAreDeclared],
    ['every dependency exists and is waited for in the way it ends', dependenciesMakeSense],
  ])('%s', (_name, rule) => {
    expect(rule(topology)).toEqual([]);
  });

  it.each<[string, (of: Topology) => string[], (copy: Topology) => void]>([
    ['latest', imagesArePinned, (copy) => (service(copy, 'temporal').image = 'temporalio/server:latest')],
    ['no tag', imagesArePinned, (copy) => (service(copy, 'temporal').image = 'temporalio/server')],
    ['a major version alone', imagesArePinned, (copy) => (service(copy, 'postgresql').image = 'postgres:16')],
    ['no health check', longRunningServicesAreWatched, (copy) => delete service(copy, 'temporal-ui').healthcheck],
    ['no restart', longRunningServicesAreWatched, (copy) => delete service(copy, 'worker').restart],
    ['a port on all interfaces', portsAreOnLoopback, (copy) => (service(copy, 'temporal').ports = ['7233:7233'])],
    ['an undeclared volume', volumesAreDeclared, (copy) => delete copy.volumes['countersign-state']],
    ['an unused volume', volumesAreDeclared, (copy) => (copy.volumes['forgotten'] = null)],
    ['a missing dependency', dependenciesMakeSense, (copy) => delete copy.services['temporal-schema']],
    [
      'a dependency that is only started',
      dependenciesMakeSense,
      (copy) => (service(copy, 'worker').depends_on!['temporal']!.condition = 'service_started'),
    ],
  ])('%s is found', (_name, rule, change) => {
    expect(rule(planted(change))).not.toEqual([]);
  });

  it('the worker waits for the namespace, the namespace for the server, the server for schema and database', () => {
    expect(waitsFor(topology, 'worker').sort()).toEqual([
      'postgresql',
      'temporal',
      'temporal-namespace',
      'temporal-schema',
    ]);
    const cycle = planted((copy) => (service(copy, 'postgresql').depends_on = { worker: { condition: 'x' } }));
    expect(() => waitsFor(cycle, 'worker')).toThrow(/wait for each other/);
  });
});

describe('the services agree with each other and with the contract', () => {
  it('the search attributes are those of the contract', () => {
    const words = service(topology, 'temporal-namespace').environment!['SEARCH_ATTRIBUTES']!.trim().split(/\s+/);
    expect(Object.fromEntries(words.map((word) => word.split('=')))).toEqual(SEARCH_ATTRIBUTES);
    expect(words).toHaveLength(Object.keys(SEARCH_ATTRIBUTES).length);
  });

  it('the tools that make the schema are of the server that uses it, 1.29.1', () => {
    expect(service(topology, 'temporal').image).toBe('temporalio/server:1.29.1');
    for (const name of ['temporal-schema', 'temporal-namespace']) {
      expect(service(topology, name).image).toMatch(/^temporalio\/admin-tools:1\.29\.1-/);
    }
  });

  it('the password is one variable everywhere', () => {
    const passwords = [
      service(topology, 'postgresql').environment!['POSTGRES_PASSWORD'],
      service(topology, 'temporal-schema').environment!['SQL_PASSWORD'],
      service(topology, 'temporal').environment!['POSTGRES_PWD'],
    ];
    expect(new Set(passwords)).toEqual(new Set(['${POSTGRES_PASSWORD:-temporal}']));
  });

  it('.env.example names every variable, with the default that the file has', () => {
    const used = [...composeText.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map(([, name, value]) => `${name}=${value}`);
    const example = read('.env.example')
      .split('\n')
      .filter((line) => /^\w/.test(line));
    expect([...new Set(used)].sort()).toEqual(example.sort());
    expect(withDefaults(composeText)).not.toContain('${');
  });

  it('the worker talks to this server and keeps its state in the volume', () => {
    const worker = service(topology, 'worker');
    expect(worker.environment).toEqual({ TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'default' });
    expect(worker.command).toEqual(['worker', '--state', STATE_DIRECTORY]);
    expect(worker.volumes).toEqual([`countersign-state:${STATE_DIRECTORY}`]);
    expect(worker.init).toBe(true);
    expect(worker.stop_grace_period).toBe('1m');
  });

  it('the server reads the dynamic configuration that is mounted', () => {
    const { environment, volumes } = service(topology, 'temporal');
    expect(volumes).toEqual(['./deploy/dynamicconfig:/etc/temporal/config/dynamicconfig:ro']);
    expect(environment!['DYNAMIC_CONFIG_FILE_PATH']).toBe('/etc/temporal/config/dynamicconfig/countersign.yaml');
    const settings = Object.values(parse(read('deploy/dynamicconfig/countersign.yaml')) as object) as unknown[];
    expect(settings.length).toBeGreaterThan(0);
    for (const setting of settings) expect(setting).toEqual([expect.objectContaining({ constraints: {} })]);
  });
});

describe('every file that is named exists', () => {
  const mounted = Object.values(topology.services)
    .flatMap(volumeSources)
    .filter(({ named }) => !named);

  it.each(mounted.map(({ source }) => source))('%s, which is mounted', (file) => {
    expect(existsSync(path.join(root, file))).toBe(true);
  });

  it.each([...new Set(copied)])('%s, which the Dockerfile copies', (file) => {
    const source = path.join(root, file);
    expect(existsSync(source)).toBe(true);
    // Git keeps no empty folder, so an empty one would be missing in the next clone.
    if (statSync(source).isDirectory()) expect(readdirSync(source)).not.toEqual([]);
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    expect(allowed).toContain(`!${file}`);
  });

  it.each(['deploy/setup-schema.sh', 'deploy/setup-namespace.sh'])('%s is a script the shell can read', (file) => {
    const { status, stderr } = spawnSync('sh', ['-n', path.join(root, file)], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('Dockerfile', () => {
  it('every stage starts from an exact version of Node 20', () => {
    const [, image] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
    expect(image).toMatch(/^node:20\..*-bookworm-slim$/);
    expect(isPinned(image!)).toBe(true);
    const from = instructions.filter((line) => line.startsWith('FROM '));
    expect(from).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM ${NODE_IMAGE}']);
  });

  it('the final stage runs as node, with its own state folder, a health check and no build tools', () => {
    expect(finalStage).toContain('USER node');
    expect(finalStage).toContain(`RUN install --directory --owner=node --group=node --mode=0700 ${STATE_DIRECTORY}`);
    expect(finalStage.some((line) => line.startsWith('HEALTHCHECK ') && line.includes(' CMD ["node", '))).toBe(true);
    expect(finalStage.filter((line) => /npm|apt-get/.test(line))).toEqual([]);
    expect(finalStage.findLastIndex((line) => /^(RUN|COPY) /.test(line))).toBeLessThan(finalStage.indexOf('USER node'));
  });

  it('only production dependencies are installed, and one install script runs', () => {
    expect(dockerfile).toContain('npm ci --omit=dev --ignore-scripts');
    expect(dockerfile.match(/npm rebuild \S+/g)).toEqual(['npm rebuild better-sqlite3']);
  });

  it('starts what docker-compose.yml starts', () => {
    const command = finalStage.find((line) => line.startsWith('CMD '))!.slice('CMD '.length);
    expect(JSON.parse(command)).toEqual(service(topology, 'worker').command);
    expect(finalStage).toContain('ENTRYPOINT ["bin/countersign"]');
  });
});
