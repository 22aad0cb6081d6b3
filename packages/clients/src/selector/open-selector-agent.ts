import { type ClientTls, type HttpPool, openHttpPool } from '@winnow/service';

/** Maximum number of connections to a selector, each with one search at a time. */
const CONNECTIONS = 64;

/** Opens a pool of connections to one selector. `destroy` closes them. */
export function openSelectorAgent(tls: ClientTls): HttpPool {
  return openHttpPool({ connections: CONNECTIONS, pipelining: 1, connect: { ...tls } });
}
