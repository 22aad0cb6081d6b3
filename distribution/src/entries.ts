/**
 * The entry points of the package: files of the source tree and their names in `dist/`. Programs, worker
 * threads and libraries are entries; code that they share goes into chunks.
 */
export const ENTRIES = {
  main: 'distribution/src/main.ts',

  selector: 'apps/selector/src/main.ts',
  proxy: 'apps/proxy/src/main.ts',
  launch: 'apps/proxy/src/launch-main.ts',
  registry: 'apps/registry/src/main.ts',
  attach: 'apps/attach/src/main.ts',
  report: 'apps/report/src/main.ts',
  mcp: 'apps/registry/src/mcp-main.ts',
  register: 'apps/registry/src/register-main.ts',
  search: 'packages/embeddings/bin/search.ts',
  conformance: 'apps/conformance/src/main.ts',

  'onnx-worker': 'packages/embeddings/src/onnx/onnx-worker.ts',
  'database-thread': 'packages/registry/src/stores/sqlite/database-thread.ts',

  'library-ranking': 'distribution/library/ranking.ts',
  'library-selector-client': 'distribution/library/selector-client.ts',
  'library-registry': 'distribution/library/registry.ts',
} as const;

/** The entry that runs where Node does not: one file with all that it needs, other than Node's own modules. */
export const PORTABLE = { 'library-fetch': 'distribution/library/fetch.ts' } as const;

/** The libraries, by import path. */
export const LIBRARIES = ['fetch', 'ranking', 'selector-client', 'registry'] as const;

/** Optional packages, loaded on first use; users who need them install them. */
export const OPTIONAL: readonly string[] = [
  'pg',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
];

/** Packages that the code loads by `require` on first use, where the compiler does not see them. */
export const REQUIRED: readonly string[] = ['undici', 'yaml'];
