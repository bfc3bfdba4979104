// What we want of docker-compose.yml beyond its schema. Each rule returns the faults it finds, as sentences: the tests
// run it over the real file (none) and over a file with a planted fault (that one).

export interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test: string[]; interval?: string; timeout?: string; retries?: number };
  restart?: string;
  stop_grace_period?: string;
  init?: boolean;
}

export interface Topology {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

type Rule = (topology: Topology) => string[];

function perService(rule: (name: string, service: Service, topology: Topology) => string[]): Rule {
  return (topology) => Object.entries(topology.services).flatMap(([name, service]) => rule(name, service, topology));
}

/** Replaces `${NAME:-default}` by the default, which is what Compose does where the variable is not set. */
export function withDefaults(text: string): string {
  return text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

/** An exact version: a name, then a tag with at least major and minor, never a moving word. */
export function isPinned(image: string): boolean {
  return /^[a-z0-9][a-z0-9._/-]*:v?\d+\.\d+[\w.-]*$/.test(image);
}

function isOneShot(service: Service): boolean {
  return service.restart === 'no';
}

/** Host paths (starting with a dot or a slash) and named volumes, from the short syntax SOURCE:TARGET[:MODE]. */
export function volumeSources(service: Service): { source: string; named: boolean }[] {
  return (service.volumes ?? []).map((volume) => {
    const source = volume.slice(0, volume.indexOf(':'));
    return { source, named: !/^[./~]/.test(source) };
  });
}

export const imagesArePinned = perService((name, { image, build }) => {
  if (image === undefined) return build === undefined ? [`${name} has neither image nor build`] : [];
  return isPinned(withDefaults(image)) ? [] : [`${name}: ${image} is not an exact version`];
});

/** A built service may have the health check in its Dockerfile instead. */
export const longRunningServicesAreWatched = perService((name, service) => {
  if (isOneShot(service)) return [];
  const faults = service.restart === 'unless-stopped' ? [] : [`${name} does not come back after a crash`];
  if (service.build === undefined) {
    const { test = [], interval, timeout, retries } = service.healthcheck ?? {};
    if (test.length < 2 || !interval || !timeout || !retries) faults.push(`${name} has no complete health check`);
  }
  return faults;
});

export const portsAreOnLoopback = perService((name, { ports = [] }) =>
  ports
    .filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(withDefaults(port)))
    .map((port) => `${name}: ${port} is not on 127.0.0.1`),
);

export const volumesAreDeclared: Rule = (topology) => {
  const used = Object.values(topology.services)
    .flatMap(volumeSources)
    .filter(({ named }) => named)
    .map(({ source }) => source);
  const declared = Object.keys(topology.volumes);
  return [
    ...used.filter((name) => !declared.includes(name)).map((name) => `volume ${name} is not declared`),
    ...declared.filter((name) => !used.includes(name)).map((name) => `volume ${name} is not used`),
  ];
};

/** A one-shot must have finished, anything else must be healthy: "started" would say nothing about either. */
export const dependenciesMakeSense = perService((name, { depends_on = {} }, { services }) =>
  Object.entries(depends_on).flatMap(([target, { condition }]) => {
    const service = services[target];
    if (service === undefined) return [`${name} waits for ${target}, which does not exist`];
    const wanted = isOneShot(service) ? 'service_completed_successfully' : 'service_healthy';
    return condition === wanted ? [] : [`${name} waits for ${target} with ${condition}, not with ${wanted}`];
  }),
);

/** Every service's whole chain of dependencies, so that the tests can ask who really waits for whom. */
export function waitsFor(topology: Topology, name: string, seen: readonly string[] = []): string[] {
  if (seen.includes(name)) throw new Error(`services wait for each other: ${[...seen, name].join(' → ')}`);
  const direct = Object.keys(topology.services[name]?.depends_on ?? {});
  return [...new Set([...direct, ...direct.flatMap((target) => waitsFor(topology, target, [...seen, name]))])];
}
