/** Whether only this machine can reach a listener on this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Returns an address that clients on this machine can call. A wildcard address is replaced by a loopback
 * address, because not every client can call it.
 */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
