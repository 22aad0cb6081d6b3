import { proveSecureContext } from './prove-secure-context.ts';
import { readPemFile } from './read-pem-file.ts';

/** The certificates of an HTTPS server, in PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** The authorities for mutual TLS: only clients with a certificate of theirs are accepted. */
  readonly ca?: string;
}

/** Paths from `server.cert_file`, `server.key_file` and `server.client_ca_file`. */
export interface ServerTlsFiles {
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly tlsClientCaFile: string | undefined;
}

/**
 * Reads the certificate files of a server; undefined when none are set.
 *
 * Throws an error that names the setting when a file cannot be read, or when the files are not a certificate
 * with its key.
 */
export function readServerTls(files: ServerTlsFiles): ServerTls | undefined {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = files;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const tls: ServerTls = {
    cert: readPemFile('server.cert_file', tlsCertFile),
    key: readPemFile('server.key_file', tlsKeyFile),
    ...(tlsClientCaFile !== undefined && { ca: readPemFile('server.client_ca_file', tlsClientCaFile) }),
  };
  proveUsable(tls);
  return tls;
}

/**
 * Returns the problems of the combination, one sentence each: half of a pair, or an authority for a server
 * without a certificate.
 */
export function serverTlsProblems({ tlsCertFile, tlsKeyFile, tlsClientCaFile }: ServerTlsFiles): string[] {
  const problems: string[] = [];
  if (tlsCertFile !== undefined && tlsKeyFile === undefined) {
    problems.push('server.key_file must be set when server.cert_file is.');
  }
  if (tlsKeyFile !== undefined && tlsCertFile === undefined) {
    problems.push('server.cert_file must be set when server.key_file is.');
  }
  if (tlsClientCaFile !== undefined && tlsCertFile === undefined) {
    problems.push('server.cert_file and server.key_file must be set when server.client_ca_file is.');
  }
  return problems;
}

function proveUsable(tls: ServerTls): void {
  try {
    proveSecureContext(tls);
  } catch (cause) {
    const variables = tls.ca === undefined ? '' : ', server.client_ca_file';
    throw new Error(`server.cert_file, server.key_file${variables} must be PEM files that belong together.`, {
      cause,
    });
  }
}
