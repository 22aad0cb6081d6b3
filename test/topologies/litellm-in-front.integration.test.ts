/**
 * @module-tag litellm
 */
import { LITELLM_ENVIRONMENT, litellm } from './litellm.ts';
import { pageFile } from './page-file.ts';
import { topologySuite } from './topology-suite.ts';

const fileOf = (name: string) => pageFile('litellm', 'LiteLLM in front', name);

topologySuite({
  options: {
    place: 'in front',
    ...litellm(fileOf('litellm.yaml')),
    environment: () => LITELLM_ENVIRONMENT,
    winnow: () => fileOf('winnow.yaml'),
    // The scripted provider takes the place of both, and is spoken to as they are.
    winnowEnvironment: (next) => ({
      PROXY_UPSTREAMS_OPENAI_BASE_URL: next,
      PROXY_UPSTREAMS_OPENAI_LOAD: 'bridge',
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: next,
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'bridge',
    }),
  },
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
