/**
 * @module-tag envoy
 * @module-tag openssl
 */
import { envoyBehind } from './envoy-behind.ts';
import { topologySuite } from './topology-suite.ts';

topologySuite({
  options: envoyBehind(),
  clientKey: 'sk-alice',
  providerKeys: { openai: 'sk-openai', anthropic: 'sk-anthropic' },
  requests: { ifAllFail: 1, ifLaterFail: 4 },
  statuses: {
    openai: { 429: 429, 503: 503, 529: 529 },
    anthropic: { 429: 429, 503: 503, 529: 529 },
  },
  passesRetryAfter: true,
  cancelsWhole: true,
  refusals: { longHead: 431, largeBody: { openai: 413, anthropic: 413 }, gzip: 200 },
});
