/**
 * What the package is made of: files of the source tree, and the names under which they stand beside each other in `dist/`. Programs, threads
 * and the libraries are entries; everything that they share is in files between them.
 */
export const ENTRIES = {
  main: 'distribution/src/main.ts',

  selector: 'apps/selector/src/main.ts',
  proxy: 'apps/proxy/src/main.ts',
  registry: 'apps/registry/src/main.ts',
  attach: 'apps/attach/src/main.ts',
  report: 'apps/report/src/main.ts',
  mcp: 'apps/registry/src/mcp-main.ts',
  search: 'packages/embeddings/bin/search.ts',

  'build-worker': 'apps/selector/src/catalogues/build-worker.ts',
  'observation-worker': 'apps/proxy/src/observe/observation-worker.ts',
  'onnx-worker': 'packages/embeddings/src/onnx/onnx-worker.ts',
  'database-thread': 'packages/registry/src/stores/sqlite/database-thread.ts',

  'library-ranking': 'distribution/library/ranking.ts',
  'library-selector-client': 'distribution/library/selector-client.ts',
  'library-registry': 'distribution/library/registry.ts',
} as const;

/** Libraries by the path under which they are imported. */
export const LIBRARIES = ['ranking', 'selector-client', 'registry'] as const;

/**
 * Of third-party packages only these are compiled in: of its 62 MB the report uses one kind of chart. Its licence goes along.
 */
export const COMPILED_IN: readonly string[] = ['echarts', 'zrender', 'tslib'];

/** Packages that only some need, loaded when they are used; whoever needs them installs them. */
export const OPTIONAL: readonly string[] = [
  'pg',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
];

/** Packages that the code loads by `require`, when they are first needed: the compiler does not see them. */
export const REQUIRED: readonly string[] = ['undici', 'yaml'];
