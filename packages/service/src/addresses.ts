/** Whether a lower-case host name or address always means this machine. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host) || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host);
}

const NAMES: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', '::1', '[::1]']);

/**
 * Returns the host name of a `Host` header in lower case, without the port and the brackets of an IPv6 address.
 *
 * A page in a browser can reach this machine under the page's own host name, but cannot choose the header:
 * https://en.wikipedia.org/wiki/DNS_rebinding
 */
export function hostNameOf(header: string): string {
  const name = /^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1] ?? header.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}

/**
 * Returns an address that clients on this machine can call. A wildcard address is replaced by a loopback
 * address, because not every client can call it.
 */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
