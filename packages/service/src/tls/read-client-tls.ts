import { proveSecureContext } from './prove-secure-context.ts';
import { readPemFile } from './read-pem-file.ts';

/** Paths from settings; empty for none. */
export interface ClientTlsFiles {
  readonly ca_file: string;
  readonly cert_file: string;
  readonly key_file: string;
}

/** The options of a TLS connection that differ from the defaults, in PEM. Empty when no file is set. */
export interface ClientTls {
  /** The trusted authorities, instead of Node's own. */
  readonly ca?: string;
  /** The certificate of this side, with its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the certificate files of a client. `section` is the section of the settings, such as
 * `providers.selector`.
 *
 * @throws an error that names the setting, when a file cannot be read or is not a PEM file, and when
 * certificate and key are not a pair.
 */
export function readClientTls(section: string, files: ClientTlsFiles): ClientTls {
  const nameOf = (field: keyof ClientTlsFiles) => `${section}.${field}`;
  if ((files.cert_file === '') !== (files.key_file === '')) {
    const missing = files.cert_file === '' ? 'cert_file' : 'key_file';
    throw new Error(`${nameOf(missing)} must be set: a certificate and its key go together.`);
  }
  const ca = read(nameOf('ca_file'), files.ca_file);
  const cert = read(nameOf('cert_file'), files.cert_file);
  const key = read(nameOf('key_file'), files.key_file);
  if (ca !== undefined) proveUsable(`${nameOf('ca_file')} must be a PEM file of certificates.`, { ca });
  const ofPair = `${nameOf('cert_file')} and ${nameOf('key_file')} must be PEM files that belong together.`;
  if (cert !== undefined && key !== undefined) proveUsable(ofPair, { cert, key });
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function read(name: string, path: string): string | undefined {
  return path === '' ? undefined : readPemFile(name, path);
}

function proveUsable(problem: string, tls: ClientTls): void {
  // OpenSSL takes a text without a certificate for an empty list, and would trust no authority.
  const isEmpty = tls.ca !== undefined && !tls.ca.includes('-----BEGIN CERTIFICATE-----');
  if (isEmpty) throw new Error(problem);
  try {
    proveSecureContext(tls);
  } catch (cause) {
    throw new Error(problem, { cause });
  }
}
