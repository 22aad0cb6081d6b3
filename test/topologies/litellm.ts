import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATEWAYS } from '../system-programs.ts';
import type { TopologyOptions } from './start-topology.ts';

/** The file of a custom check that takes every key, as LiteLLM's virtual keys need a database. */
const ANY_KEY = `from litellm.proxy._types import UserAPIKeyAuth, hash_token

async def check(request, api_key):
    return UserAPIKeyAuth(api_key=hash_token(api_key))
`;

/** The keys that LiteLLM reads from its environment; it looks up prices in its own list. */
export const LITELLM_ENVIRONMENT: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
  LITELLM_MASTER_KEY: 'sk-master',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
};

/** LiteLLM with a configuration, in which the address of the guide is replaced by the next hop's. */
export function litellm(config: string): Pick<TopologyOptions, 'command' | 'listens' | 'write'> {
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
