import { proveSecureContext } from './prove-secure-context.ts';
import { readPemFile } from './read-pem-file.ts';

/** What an HTTPS server needs, in PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Present for mutual TLS: only clients with a certificate of these authorities are let in. */
  readonly ca?: string;
}

/** Paths as `TLS_CERT_FILE`, `TLS_KEY_FILE` and `TLS_CLIENT_CA_FILE` set them. */
export interface ServerTlsFiles {
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly tlsClientCaFile: string | undefined;
}

/**
 * Reads the certificate files of a server, or gives undefined when none are set.
 *
 * Throws an error that names the variable when a file cannot be read, or when the files do not make a certificate with its key.
 */
export function readServerTls(files: ServerTlsFiles): ServerTls | undefined {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = files;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const tls: ServerTls = {
    cert: readPemFile('TLS_CERT_FILE', tlsCertFile),
    key: readPemFile('TLS_KEY_FILE', tlsKeyFile),
    ...(tlsClientCaFile !== undefined && { ca: readPemFile('TLS_CLIENT_CA_FILE', tlsClientCaFile) }),
  };
  proveUsable(tls);
  return tls;
}

/** What is wrong with the combination, one sentence each: half of a pair, or an authority for a server without a certificate. */
export function serverTlsProblems({ tlsCertFile, tlsKeyFile, tlsClientCaFile }: ServerTlsFiles): string[] {
  const problems: string[] = [];
  if (tlsCertFile !== undefined && tlsKeyFile === undefined) {
    problems.push('TLS_KEY_FILE must be set when TLS_CERT_FILE is.');
  }
  if (tlsKeyFile !== undefined && tlsCertFile === undefined) {
    problems.push('TLS_CERT_FILE must be set when TLS_KEY_FILE is.');
  }
  if (tlsClientCaFile !== undefined && tlsCertFile === undefined) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE must be set when TLS_CLIENT_CA_FILE is.');
  }
  return problems;
}

function proveUsable(tls: ServerTls): void {
  try {
    proveSecureContext(tls);
  } catch (cause) {
    const variables = tls.ca === undefined ? '' : ', TLS_CLIENT_CA_FILE';
    throw new Error(`TLS_CERT_FILE, TLS_KEY_FILE${variables} must be PEM files that belong together.`, {
      cause,
    });
  }
}
