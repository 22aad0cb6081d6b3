import { Agent, type ClientTls } from '@winnow/service';

/** Maximum number of connections to a selector, each with one search at a time. */
const CONNECTIONS = 64;

/** Opens a pool of connections to one selector. `destroy` closes them. */
export function openSelectorAgent(tls: ClientTls): Agent {
  return new Agent({ connections: CONNECTIONS, pipelining: 1, connect: { ...tls } });
}
