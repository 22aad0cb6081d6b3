import type { SecureContextOptions } from 'node:tls';

/** Throws when certificates and keys are not what TLS can be spoken with. Only then is TLS loaded, which takes its time. */
export function proveSecureContext(options: SecureContextOptions): void {
  process.getBuiltinModule('node:tls').createSecureContext(options);
}
