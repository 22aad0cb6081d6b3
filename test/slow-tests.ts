/** The slowest files, by the beginnings of their paths. */
export const SLOW_TESTS = [
  'test/end-to-end/clients.test.ts',
  'test/bounds/',
  'test/end-to-end/leaving-clients.test.ts',
  'test/end-to-end/forgotten-clients.test.ts',
  'test/end-to-end/several-proxies.test.ts',
  'test/end-to-end/rollout.test.ts',
  'test/leftovers/',
  'test/conformance/',
  'apps/conformance/',
  'packages/registry/test/postgres-',
  'test/package.integration.test.ts',
  'test/end-to-end/report-of-formats.test.ts',
] as const;
