import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATEWAYS } from '../system-programs.ts';
import { pageFile } from './page-file.ts';
import type { TopologyOptions } from './start-topology.ts';

/** The file of a custom check that takes every key, as LiteLLM's virtual keys need a database. */
const ANY_KEY = `from litellm.proxy._types import UserAPIKeyAuth, hash_token

async def check(request, api_key):
    return UserAPIKeyAuth(api_key=hash_token(api_key))
`;

/** LiteLLM's environment: the providers' keys, its own list of prices in place of one from the network, and short waits. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
  LITELLM_MASTER_KEY: 'sk-master',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  // It waits half a second and more before each retry by default.
  INITIAL_RETRY_DELAY: '0.01',
  MAX_RETRY_DELAY: '0.01',
  JITTER: '0',
};

const fileOf = (place: TopologyOptions['place'], name: string) =>
  pageFile('litellm', `LiteLLM ${place}`, name);

/** LiteLLM in front, with the files of the guide. */
export const LITELLM_IN_FRONT: TopologyOptions = {
  place: 'in front',
  ...litellm(fileOf('in front', 'litellm.yaml')),
  environment: () => ENVIRONMENT,
  winnow: () => fileOf('in front', 'winnow.yaml'),
  // The scripted provider takes the place of both, and is spoken to as they are.
  winnowEnvironment: (next) => ({
    PROXY_UPSTREAMS_OPENAI_BASE_URL: next,
    PROXY_UPSTREAMS_OPENAI_LOAD: 'bridge',
    PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: next,
    PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'bridge',
  }),
};

/** LiteLLM behind, with the files of the guide. */
export const LITELLM_BEHIND: TopologyOptions = {
  place: 'behind',
  ...litellm(fileOf('behind', 'litellm.yaml')),
  environment: (next) => ({ ...ENVIRONMENT, OPENAI_BASE_URL: `${next}/v1`, ANTHROPIC_API_BASE: next }),
  winnow: (next) => fileOf('behind', 'winnow.yaml').replaceAll('http://127.0.0.1:4000', next),
};

/** LiteLLM with a configuration, in which the address of the guide is replaced by the next hop's. */
function litellm(config: string): Pick<TopologyOptions, 'command' | 'listens' | 'write'> {
  return {
    command: (file, port) => [
      join(GATEWAYS, 'litellm'),
      '--config',
      file,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    listens: /Uvicorn running on/,
    write: (folder, next) => {
      const file = join(folder, 'litellm.yaml');
      writeFileSync(join(folder, 'keys.py'), ANY_KEY);
      writeFileSync(
        file,
        config
          .replaceAll('http://127.0.0.1:8787', next)
          .replace('master_key: os.environ/LITELLM_MASTER_KEY', 'custom_auth: keys.check'),
      );
      return file;
    },
  };
}
