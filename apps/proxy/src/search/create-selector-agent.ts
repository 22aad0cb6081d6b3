import { Agent } from 'undici';
import { type ClientTls, readClientTls } from '../config/read-client-tls.ts';
import type { Config } from '../config.ts';

/** Connections to the selector at most, each with one search at a time. */
const SELECTOR_CONNECTIONS = 64;

/**
 * A pool of connections to the selector that is asked, with the certificates of its provider.
 *
 * @throws an error that names the setting, when a certificate file is no good.
 */
export function createSelectorAgent(config: Config): Agent {
  return new Agent({ connections: SELECTOR_CONNECTIONS, pipelining: 1, connect: selectorTls(config) });
}

/** Nothing for the endpoint of `api`, which has no files of its own: Node's trusted authorities are enough for it. */
function selectorTls({ settings, providers }: Config): ClientTls {
  const name = settings['pipes.tool_discovery.provider'];
  const provider = providers[name];
  if (settings['pipes.tool_discovery.api.endpoint'] !== '' || !provider) return {};
  return readClientTls(`providers.${name}`, provider);
}
