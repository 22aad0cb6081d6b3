/**
 * Whether a variable is one that Kubernetes or Docker sets automatically for services that other containers
 * can reach: for one called "proxy", `PROXY_SERVICE_HOST`, `PROXY_PORT_8787_TCP_ADDR` and the like. These are
 * not settings, whatever their prefix.
 *
 * @param services the beginnings of the services' names, spelt as in these variables
 */
export function isServiceLink(services: readonly string[], variable: string): boolean {
  const start = `^(${services.join('|')})`;
  const parts = 'SERVICE_(HOST|PORT)(_\\w+)?|PORT_\\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?';
  return new RegExp(`${start}(_PORT|(_\\w+)?_(${parts}))$`).test(variable);
}

/** Whether a value is the address of a port in such a variable, for example `tcp://10.0.0.1:8787`. */
export function isLinkedAddress(text: string): boolean {
  return /^(tcp|udp):\/\//.test(text);
}
