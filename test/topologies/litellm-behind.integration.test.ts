/**
 * @module-tag litellm
 */
import { LITELLM_ENVIRONMENT, litellm } from './litellm.ts';
import { pageFile } from './page-file.ts';
import { topologySuite } from './topology-suite.ts';

const fileOf = (name: string) => pageFile('litellm', 'LiteLLM behind', name);

topologySuite({
  options: {
    place: 'behind',
    ...litellm(fileOf('litellm.yaml')),
    environment: (next) => ({
      ...LITELLM_ENVIRONMENT,
      OPENAI_BASE_URL: `${next}/v1`,
      ANTHROPIC_API_BASE: next,
    }),
    winnow: (next) => fileOf('winnow.yaml').replaceAll('http://127.0.0.1:4000', next),
  },
  clientKey: 'sk-alice',
  providerKeys: { openai: 'sk-openai', anthropic: 'sk-anthropic' },
  requests: { ifAllFail: 3, ifLaterFail: 4 },
  statuses: {
    openai: { 429: 429, 503: 503, 529: 529 },
    anthropic: { 429: 429, 503: 503, 529: 500 },
  },
  passesRetryAfter: false,
  cancelsWhole: false,
  refusals: { longHead: 431, largeBody: { openai: 413, anthropic: 413 }, gzip: 200 },
});
