import type { SecureContextOptions } from 'node:tls';

/**
 * Throws when certificates and keys are not usable for TLS. TLS is loaded only here, because loading it is
 * slow.
 */
export function proveSecureContext(options: SecureContextOptions): void {
  process.getBuiltinModule('node:tls').createSecureContext(options);
}
