/**
 * @module-tag litellm
 */
import { LITELLM_IN_FRONT } from './litellm.ts';
import { topologySuite } from './topology-suite.ts';

topologySuite({
  options: LITELLM_IN_FRONT,
  clientKey: 'sk-alice',
  providerKeys: { openai: 'sk-openai', anthropic: 'sk-anthropic' },
  requests: { ifAllFail: 1, ifLaterFail: 4 },
  statuses: {
    openai: { 429: 429, 503: 503, 529: 529 },
    anthropic: { 429: 429, 503: 503, 529: 500 },
  },
  passesRetryAfter: false,
  cancelsWhole: false,
  refusals: { longHead: 431, largeBody: { openai: 413, anthropic: 400 }, gzip: 400 },
});
