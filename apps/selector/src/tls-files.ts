import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Settings } from './config.ts';

/** What an HTTPS server needs. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** Present for mutual TLS: only clients with a certificate of these authorities are let in. */
  readonly ca?: string;
}

/** The settings of TLS, by themselves. */
export type TlsSettings = Pick<Settings, 'tlsCertFile' | 'tlsKeyFile' | 'tlsClientCaFile'>;

/**
 * Reads the certificate files, or gives undefined when none are set.
 *
 * Throws an error that names the variable when a file cannot be read, or when the files do not make a certificate with its key.
 */
export function readTlsFiles(settings: TlsSettings): TlsMaterial | undefined {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = settings;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const material: TlsMaterial = {
    cert: read('TLS_CERT_FILE', tlsCertFile),
    key: read('TLS_KEY_FILE', tlsKeyFile),
    ...(tlsClientCaFile !== undefined && { ca: read('TLS_CLIENT_CA_FILE', tlsClientCaFile) }),
  };
  proveUsable(material);
  return material;
}

function read(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${variable} must name a file that can be read (${code ?? 'unknown error'}).`, { cause });
  }
}

function proveUsable(material: TlsMaterial): void {
  try {
    createSecureContext(material);
  } catch (cause) {
    const variables = material.ca === undefined ? '' : ', TLS_CLIENT_CA_FILE';
    throw new Error(`TLS_CERT_FILE, TLS_KEY_FILE${variables} must be PEM files that belong together.`, {
      cause,
    });
  }
}
