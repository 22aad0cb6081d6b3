import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** The settings that name PEM files for a connection over TLS; empty for none. */
export interface TlsFiles {
  readonly ca_file: string;
  readonly cert_file: string;
  readonly key_file: string;
}

/** What a client over TLS needs beside the system's authorities. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the files of a section of the configuration, such as `redis`.
 *
 * Throws an error that names the setting when a file cannot be read, when there is a certificate without its key, or when they do not
 * belong together. Neither a path nor content is in it.
 */
export function readTlsFiles(section: string, files: TlsFiles): TlsMaterial {
  if ((files.cert_file === '') !== (files.key_file === '')) {
    throw new Error(`${section}.cert_file and ${section}.key_file must be set together.`);
  }
  const read = (name: keyof TlsFiles) =>
    files[name] === '' ? undefined : readPem(`${section}.${name}`, files[name]);
  const [ca, cert, key] = [read('ca_file'), read('cert_file'), read('key_file')];
  const material = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  proveUsable(section, material);
  return material;
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${setting} must name a file that can be read (${code ?? 'unknown error'}).`, { cause });
  }
}

function proveUsable(section: string, material: TlsMaterial): void {
  // Node takes a file without a certificate for a list of no authorities, and then trusts nobody.
  const hasAuthority = material.ca === undefined || material.ca.includes('-----BEGIN ');
  try {
    if (!hasAuthority) throw new Error('no certificate');
    createSecureContext(material);
  } catch (cause) {
    throw new Error(`The files of ${section} must be PEM, a certificate together with its own key.`, {
      cause,
    });
  }
}
