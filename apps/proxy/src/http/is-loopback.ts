/** Whether a host name or an address, in small letters, is this machine's own and no other's. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host) || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host);
}

const NAMES: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', '::1', '[::1]']);
