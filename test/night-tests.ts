/**
 * The files of tests that run with `npm run test:all` alone, at night. Whatever they cover of the product, a
 * test by day covers, too, with fewer cases: nothing else leaves a file out. Within a file,
 * `inject('isExhaustive')` chooses between a sample and all cases.
 */
export const NIGHT_TESTS = [
  // The benches try themselves.
  'bench/test/**/*.integration.test.ts',
  // The conformance kit tries itself; by day, it tries Winnow.
  'apps/conformance/test/**/*.integration.test.ts',
  'test/conformance/deferral-faults.integration.test.ts',
  // Gateways of others, in front and behind.
  'test/topologies/**/*.integration.test.ts',
  // Clients of Chat Completions by Python, and a real model behind a local server.
  'test/chat-clients/**/*.integration.test.ts',
  'test/local-servers/**/*.integration.test.ts',
  // The package, the release and the chart are built.
  'test/{package,build-release}.integration.test.ts',
  'test/deploy/{helm,model-image}.integration.test.ts',
  // Many requests at once against the memory of whole services.
  'test/bounds/**/*.integration.test.ts',
  'apps/registry/test/mcp-slow-clients.integration.test.ts',
  // What runs the tests, and programs other than the services.
  'test/leftovers/**/*.integration.test.ts',
  'test/{tell-skipped,tell-retried,add-a-format}.integration.test.ts',
  'test/{demo-clients,demo-traffic,probe,python-client}.integration.test.ts',
  // Servers and suites that others wrote.
  'packages/mcp/test/{real,vendor}-servers.integration.test.ts',
  'apps/registry/test/conformance/**/*.integration.test.ts',
] as const;
