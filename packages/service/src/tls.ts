import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';

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
  proveServerTls(tls);
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

function proveServerTls(tls: ServerTls): void {
  try {
    proveSecureContext(tls);
  } catch (cause) {
    const variables = tls.ca === undefined ? '' : ', server.client_ca_file';
    throw new Error(`server.cert_file, server.key_file${variables} must be PEM files that belong together.`, {
      cause,
    });
  }
}

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
 * `tools.api`.
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
  if (ca !== undefined) proveClientTls(`${nameOf('ca_file')} must be a PEM file of certificates.`, { ca });
  const ofPair = `${nameOf('cert_file')} and ${nameOf('key_file')} must be PEM files that belong together.`;
  if (cert !== undefined && key !== undefined) proveClientTls(ofPair, { cert, key });
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function read(name: string, path: string): string | undefined {
  return path === '' ? undefined : readPemFile(name, path);
}

function proveClientTls(problem: string, tls: ClientTls): void {
  // OpenSSL takes a text without a certificate for an empty list, and would trust no authority.
  const isEmpty = tls.ca !== undefined && !tls.ca.includes('-----BEGIN CERTIFICATE-----');
  if (isEmpty) throw new Error(problem);
  try {
    proveSecureContext(tls);
  } catch (cause) {
    throw new Error(problem, { cause });
  }
}

/** The certificates that a server uses from now on, and the settings whose files have changed. */
export type Replaced =
  | { readonly ok: true; readonly tls: ServerTls | undefined; readonly changed: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the certificate files of a server again, and uses them for new connections if they have changed. Files
 * that cannot be read, or do not belong together, change nothing.
 */
export function replaceCertificates(
  server: Server,
  used: ServerTls | undefined,
  files: ServerTlsFiles,
): Replaced {
  if (used === undefined) return { ok: true, tls: used, changed: [] };
  try {
    const tls = readServerTls(files);
    if (tls === undefined || isDeepStrictEqual(tls, used)) return { ok: true, tls: used, changed: [] };
    (server as TlsServer).setSecureContext(secureOptions(tls));
    return { ok: true, tls, changed: ['server.cert_file'] };
  } catch (error) {
    return { ok: false, problems: [(error as Error).message] };
  }
}

/** Returns Node's options for a server with these certificates. */
export function secureOptions(tls: ServerTls) {
  return {
    ...tls,
    minVersion: 'TLSv1.2' as const,
    requestCert: tls.ca !== undefined,
    rejectUnauthorized: tls.ca !== undefined,
  };
}

/**
 * Throws when certificates and keys are not usable for TLS. TLS is loaded only here, because loading it is
 * slow.
 */
export function proveSecureContext(options: SecureContextOptions): void {
  process.getBuiltinModule('node:tls').createSecureContext(options);
}

/** Reads a file that a setting names. If that fails, throws an error that names the setting, not the path. */
export function readPemFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${setting} must name a file that can be read (${code ?? 'unknown error'}).`, { cause });
  }
}

/**
 * Whether a server uses TLS. The check avoids `instanceof`, because loading the class takes longer than most
 * of a service's start.
 */
export function isTlsServer(server: Server): boolean {
  return 'setSecureContext' in server;
}
