/** Whether a lower-case host name or address belongs to this machine alone. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host) || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host);
}

const NAMES: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', '::1', '[::1]']);
