import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, readSourceFiles, type SourceFile } from './source-files.ts';

/** The dependency rules of ARCHITECTURE.md, checked against the imports of every source file. */

const FILES = readSourceFiles('{apps,packages}/*/**/*.ts');

const production = FILES.filter((file) => file.isProduction);

/** Folders of all apps and packages. */
const HOMES = [...new Set(FILES.map((file) => file.home))].sort();

/**
 * The packages that each package's production code may import, in addition to {@link EVERYBODY_MAY_IMPORT}.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/core': [],
  'packages/wire': [],
  'packages/ranking': [],
  'packages/testkit': [],
  'packages/service': [],
  'packages/clients': ['@winnow/ranking', '@winnow/service'],
  'packages/embeddings': ['@winnow/ranking', '@winnow/service'],
  'packages/registry': ['@winnow/ranking'],
  'packages/mcp': ['@winnow/ranking', '@winnow/registry', '@winnow/service'],
  'apps/selector': ['@winnow/clients', '@winnow/embeddings', '@winnow/ranking', '@winnow/service'],
  'apps/proxy': [
    '@winnow/clients',
    '@winnow/embeddings',
    '@winnow/ranking',
    '@winnow/service',
    '@winnow/wire',
  ],
  'apps/attach': ['@winnow/clients', '@winnow/ranking', '@winnow/service'],
  'apps/registry': ['@winnow/embeddings', '@winnow/mcp', '@winnow/registry', '@winnow/service'],
  'apps/report': ['@winnow/service'],
  'apps/conformance': ['@winnow/testkit'],
};

/** The messages, words and prices that all parts share: pure, and without dependencies of their own but zod. */
const EVERYBODY_MAY_IMPORT = ['@winnow/core'];

/** The wings that each wing of an app or a package may import. Files above the wings combine them. */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  'packages/mcp/src/servers': [],
  'packages/mcp/src/front-door': ['packages/mcp/src/servers'],
};

/**
 * The folders of the proxy, from the bottom up: each may import only the folders before it. `.` is the files
 * directly in `src`: they compose the service, and nothing imports them.
 */
const PROXY_LAYERS = [
  'log',
  'config',
  'upstream',
  'sessions',
  'strategies',
  'search',
  'reading',
  'records',
  'exchange',
  'in-process',
  'edge',
  'page',
  'launch',
  '.',
] as const;

/**
 * The places in the proxy that use Node's HTTP. All others depend on interfaces, so they also run without a
 * server.
 */
const PROXY_EDGE = /^apps\/proxy\/src\/(edge\/|page\/|upstream\/upstream-client\.ts$|(server|run)\.ts$)/;
const NODE_HTTP = /^(node:(http|https|http2|net|tls)|undici)$/;
const HTTP_OF_SERVICE =
  /\b(Agent|createHttpServer|createListener|discardRest|HeadError|HttpServerOptions|readAway|receiveBody|runService|serve|startServing|STATUS_CODES)\b[^}]*\} from '@winnow\/service'/;

/** Apps and packages whose folders do not form a hierarchy yet. Remove an entry once they do. */
const WITH_FOLDER_CYCLES: readonly string[] = ['packages/testkit'];

/** Libraries that only one kind of file may import. */
const CONFINED: readonly { library: RegExp; to: RegExp }[] = [
  { library: /^hono(\/|$)/, to: /^packages\/service\/src\/api\/create-listener\.ts$/ },
  {
    library: /^@modelcontextprotocol\//,
    to: /^packages\/mcp\/src\//,
  },
  { library: /^ioredis$/, to: /^packages\/service\/src\/redis\/redis\.ts$/ },
  { library: /^@opentelemetry\/(?!api$)/, to: /^packages\/service\/src\/tracing\// },
  { library: /^yaml$/, to: /^packages\/service\/src\/settings\/config-file\.ts$/ },
  { library: /^prom-client$/, to: /^packages\/service\/src\/metrics\/metrics-registry\.ts$/ },
  { library: /^pg$/, to: /^packages\/registry\/src\/stores\/postgres\// },
  { library: /^node:sqlite$/, to: /^packages\/registry\/src\/stores\/sqlite\/registry-database\.ts$/ },
  { library: /^wink-bm25-text-search$/, to: /^(packages\/ranking\/src\/rankers\/wink\.ts$|bench\/)/ },
  { library: /^wink-nlp-utils$/, to: /^bench\// },
  { library: /^@modelcontextprotocol\/server(\/|$)/, to: /^packages\/mcp\/src\/front-door\/protocol\// },
  {
    library: /^smol-toml$/,
    to: /^(packages\/mcp\/src\/agent-settings\/agents|apps\/proxy\/src\/launch\/codex)\.ts$/,
  },
  { library: /^re2js$/, to: /^packages\/ranking\/src\/pattern\/compile-regex\.ts$/ },
  { library: /^stemmer$/, to: /^packages\/ranking\/src\/text\/stem\.ts$/ },
];

/** Effects that pure packages must not use: clock, randomness, timers, network, environment, files. */
const EFFECTS =
  /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bMath\.random\(|\brandom(UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b|\bset(Timeout|Interval|Immediate)\(|\bfetch\(|\bprocess\./;
const EFFECT_MODULES =
  /^(node:(fs|net|http|https|http2|tls|dgram|dns|timers|child_process|worker_threads|process|perf_hooks)(\/|$)|undici$)/;

const PURE = ['packages/core', 'packages/wire', 'packages/ranking'];

/** Lines like `apps/x/src/a.ts imports y`, so that a breach names its place. */
function breaches(
  files: readonly SourceFile[],
  isBreach: (file: SourceFile, target: string) => boolean,
): string[] {
  return files.flatMap((file) =>
    file.imports.filter((target) => isBreach(file, target)).map((target) => `${file.path} imports ${target}`),
  );
}

/** Resolves an import by path, relative to the root. */
function resolved(file: SourceFile, target: string): string {
  return join(dirname(file.path), target);
}

describe('imports', () => {
  test('are seen at all', () => {
    expect(production.length).toBeGreaterThan(50);
    expect(FILES.flatMap((file) => file.imports).length).toBeGreaterThan(200);
  });

  test('every package has its rule', () => {
    expect([...new Set(FILES.map((file) => file.home))].filter((home) => !(home in MAY_IMPORT))).toEqual([]);
  });

  test('go from package to package only as the rules allow', () => {
    const isForbidden = (file: SourceFile, target: string) =>
      target.startsWith('@winnow/') && ![...MAY_IMPORT[file.home]!, ...EVERYBODY_MAY_IMPORT].includes(target);
    expect(breaches(production, isForbidden)).toEqual([]);
  });

  test('of apps are never of each other, not even in their tests', () => {
    const isOtherApp = (file: SourceFile, target: string) =>
      file.home.startsWith('apps/') &&
      /^@winnow\/(selector|proxy|report|registry-app|attach|conformance)$/.test(target);
    expect(breaches(FILES, isOtherApp)).toEqual([]);
  });

  test('cross package borders by name, never by path', () => {
    const leavesHome = (file: SourceFile, target: string) =>
      target.startsWith('.') && !resolved(file, target).startsWith(`${file.home}/`);
    expect(breaches(FILES, leavesHome)).toEqual([]);
  });

  test("inside a package name the file, not the package's index", () => {
    const isOwnIndex = (file: SourceFile, target: string) =>
      target.startsWith('.') && resolved(file, target) === `${file.home}/src/index.ts`;
    expect(breaches(production, isOwnIndex)).toEqual([]);
  });

  test('of the core are zod and nothing else', () => {
    const isForeign = (file: SourceFile, target: string) =>
      file.home === 'packages/core' && !target.startsWith('.') && target !== 'zod';
    expect(breaches(production, isForeign)).toEqual([]);
  });

  test('of a wire format come from its own folder or from the list of formats', () => {
    const list = 'packages/wire/src/formats.ts';
    const folderOf = (path: string) => /^packages\/wire\/src\/([^/]+)\//.exec(path)?.[1];
    const listed = production.find(({ path }) => path === list)!;
    const formats = new Set(listed.imports.map((target) => folderOf(resolved(listed, target))));
    expect(formats.size).toBeGreaterThan(6);
    const isForeign = (file: SourceFile, target: string) => {
      if (!target.startsWith('.') || file.path === list) return false;
      const folder = folderOf(resolved(file, target));
      return formats.has(folder) && folder !== folderOf(file.path);
    };
    expect(breaches(production, isForeign)).toEqual([]);
  });

  test.each(Object.keys(WINGS))('of the wing %s stay within the wings that it may know', (wing) => {
    const wingOf = (path: string) => /^((?:apps|packages)\/[^/]+\/src\/[^/]+)\//.exec(path)?.[1];
    const isForeignWing = (file: SourceFile, target: string) => {
      const other = target.startsWith('.') && wingOf(resolved(file, target));
      return (
        wingOf(file.path) === wing && Boolean(other) && ![wing, ...WINGS[wing]!].includes(other as string)
      );
    };
    expect(production.filter((file) => wingOf(file.path) === wing)).not.toEqual([]);
    expect(breaches(production, isForeignWing)).toEqual([]);
  });

  test.each(HOMES)('of %s form no cycle of folders', (home) => {
    const cycle = folderCycle(home);
    if (WITH_FOLDER_CYCLES.includes(home)) expect(cycle).not.toEqual([]);
    else expect(cycle).toEqual([]);
  });

  test('of the proxy go down its layers', () => {
    const home = 'apps/proxy';
    const own = production.filter((file) => file.path.startsWith(`${home}/src/`));
    const layerOf = (path: string) => PROXY_LAYERS.indexOf(folderOf(home, path) as never);
    expect([...new Set(own.map((file) => folderOf(home, file.path)))].sort()).toEqual(
      [...PROXY_LAYERS].sort(),
    );
    const isUpwards = (file: SourceFile, target: string) =>
      leadsInto(home, file, target) && layerOf(resolved(file, target)) > layerOf(file.path);
    expect(breaches(own, isUpwards)).toEqual([]);
  });

  test("of Node's HTTP stand only at the edge of the proxy", () => {
    const inner = production.filter(
      ({ path }) => path.startsWith('apps/proxy/src/') && !PROXY_EDGE.test(path),
    );
    expect(inner.length).toBeGreaterThan(100);
    expect(breaches(inner, (_, target) => NODE_HTTP.test(target))).toEqual([]);
    expect(inner.filter(({ text }) => HTTP_OF_SERVICE.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test.each(CONFINED)('of $library stand only in $to', ({ library, to }) => {
    expect(breaches(production, (file, target) => library.test(target) && !to.test(file.path))).toEqual([]);
  });

  test('make no circles', () => {
    expect(circles()).toEqual([]);
  });
});

describe('effects', () => {
  const pure = production.filter((file) => PURE.includes(file.home) && file.path.includes('/src/'));

  test('have no place in the pure packages', () => {
    expect(pure.filter((file) => EFFECTS.test(file.text)).map((file) => file.path)).toEqual([]);
    expect(breaches(pure, (_, target) => EFFECT_MODULES.test(target))).toEqual([]);
  });

  test("on V8's flags happen at the start alone: Node warns of crashes when they change later", () => {
    const changing = production.filter((file) => /\bsetFlagsFromString\b/.test(file.text));
    expect(changing.map((file) => file.path)).toEqual([]);
  });

  test('of the environment are read in config.ts alone, and HTTP proxies where connections are opened', () => {
    const readers = production.filter((file) => /\bprocess\.env\b/.test(file.text)).map((file) => file.path);
    expect(readers.filter((path) => !/\/(config|http-pool)\.ts$/.test(path))).toEqual([]);
  });
});

describe('packages', () => {
  test.each(Object.keys(MAY_IMPORT))('%s shows one index', (home) => {
    const homes = new Set(FILES.map((file) => file.home));
    if (!homes.has(home)) return;
    const manifest = JSON.parse(readFileSync(join(ROOT, home, 'package.json'), 'utf8')) as {
      exports?: unknown;
    };
    if (manifest.exports !== undefined) expect(manifest.exports).toBe('./src/index.ts');
  });
});

/** Whether an import leads to a source of the same package. */
function leadsInto(home: string, file: SourceFile, target: string): boolean {
  return target.startsWith('.') && resolved(file, target).startsWith(`${home}/src/`);
}

/** The first folder below `src` that contains a source of a package; `.` for a file directly in `src`. */
function folderOf(home: string, path: string): string {
  const inside = path.slice(`${home}/src/`.length);
  return inside.includes('/') ? inside.slice(0, inside.indexOf('/')) : '.';
}

/**
 * Folders of a package that import one another in a cycle, directly or through other folders, including type
 * imports. Empty if the folders form a hierarchy. Files directly in `src` are exempt: a package may keep code
 * there that its folders share.
 */
function folderCycle(home: string): string[] {
  const below = new Map<string, Set<string>>();
  for (const file of production.filter(({ path }) => path.startsWith(`${home}/src/`))) {
    const folder = folderOf(home, file.path);
    if (folder === '.') continue;
    const known = below.get(folder) ?? new Set<string>();
    below.set(folder, known);
    for (const target of file.imports.filter((one) => leadsInto(home, file, one)))
      known.add(folderOf(home, resolved(file, target)));
    known.delete(folder);
  }
  // Folders that import no remaining folder are not part of a cycle.
  for (;;) {
    const free = [...below.keys()].filter((one) => [...below.get(one)!].every((other) => !below.has(other)));
    if (free.length === 0) return [...below.keys()];
    for (const folder of free) below.delete(folder);
  }
}

/**
 * Import cycles within a package, each once. Type imports count, because a cycle of them is confusing as
 * well.
 */
function circles(): string[] {
  const known = new Map(production.map((file) => [file.path, file]));
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      return;
    }
    state.set(path, 'open');
    const file = known.get(path)!;
    for (const target of file.imports) {
      const next = target.startsWith('.') ? resolved(file, target) : '';
      if (known.has(next)) visit(next, [...trail, path]);
    }
    state.set(path, 'done');
  };
  for (const path of known.keys()) visit(path, []);
  return found;
}
