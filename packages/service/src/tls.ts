import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';

/** The certificates of an HTTPS server, in PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** The authorities for mutual TLS: only clients with a certificate of theirs are accepted. */
  readonly ca?: string;
}

/** Paths from `server.tls_folder` and `server.client_ca_file`. */
export interface ServerTlsFiles {
  readonly tlsFolder: string | undefined;
  readonly tlsClientCaFile: string | undefined;
}

/** The files in a folder of certificates, named as Kubernetes names those of a TLS secret. */
const CERTIFICATE = 'tls.crt';
const KEY = 'tls.key';
const AUTHORITIES = 'ca.crt';

/**
 * Reads the certificate files of a server; undefined when none are set.
 *
 * Throws an error that names the setting when a file cannot be read, or when the files are not a certificate
 * with its key.
 */
export function readServerTls({ tlsFolder, tlsClientCaFile }: ServerTlsFiles): ServerTls | undefined {
  if (tlsFolder === undefined) return undefined;
  const tls: ServerTls = {
    cert: readPemFile(`${CERTIFICATE} in server.tls_folder`, join(tlsFolder, CERTIFICATE)),
    key: readPemFile(`${KEY} in server.tls_folder`, join(tlsFolder, KEY)),
    ...(tlsClientCaFile !== undefined && { ca: readPemFile('server.client_ca_file', tlsClientCaFile) }),
  };
  proveServerTls(tls);
  return tls;
}

/** Returns the problems of the combination, one sentence each: an authority for a server without a certificate. */
export function serverTlsProblems({ tlsFolder, tlsClientCaFile }: ServerTlsFiles): string[] {
  const isAlone = tlsClientCaFile !== undefined && tlsFolder === undefined;
  return isAlone ? ['server.tls_folder must be set when server.client_ca_file is.'] : [];
}

function proveServerTls(tls: ServerTls): void {
  try {
    proveSecureContext(tls);
  } catch (cause) {
    const authorities = tls.ca === undefined ? '' : ', and server.client_ca_file';
    throw new Error(
      `server.tls_folder must hold ${CERTIFICATE} and ${KEY}, PEM files that belong together${authorities}.`,
      { cause },
    );
  }
}

/** The options of a TLS connection that differ from the defaults, in PEM. Empty without a folder. */
export interface ClientTls {
  /** The trusted authorities: Node's own and those of the folder. */
  readonly ca?: string[];
  /** The certificate of this side, with its key. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the folder of `client.tls_folder`, for connections to Redis and other services of the operator: `ca.crt`,
 * further authorities to trust, and `tls.crt` with `tls.key`, the certificate to show. Each may be missing, but not
 * all.
 *
 * @throws an error that names the setting, when a file is not a PEM file, and when certificate and key are not a
 * pair.
 */
export function readClientTls(folder: string): ClientTls {
  if (folder === '') return {};
  const [ca, cert, key] = [AUTHORITIES, CERTIFICATE, KEY].map((name) => readIfThere(folder, name));
  if ((cert === undefined) !== (key === undefined) || (ca ?? cert) === undefined) {
    throw new Error(
      `client.tls_folder must hold ${AUTHORITIES}, or ${CERTIFICATE} and ${KEY}, or all three.`,
    );
  }
  if (ca !== undefined) proveClientTls(`${AUTHORITIES} in client.tls_folder must hold certificates.`, { ca });
  if (cert !== undefined && key !== undefined) {
    proveClientTls(`${CERTIFICATE} and ${KEY} in client.tls_folder must belong together.`, { cert, key });
  }
  return {
    ...(ca !== undefined && { ca: [...process.getBuiltinModule('node:tls').getCACertificates(), ca] }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
}

/** Returns the content of a file; undefined if it is missing or empty, as `ca.crt` is for a public authority. */
function readIfThere(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (!existsSync(path)) return undefined;
  return readPemFile(`${name} in client.tls_folder`, path) || undefined;
}

function proveClientTls(problem: string, tls: SecureContextOptions): void {
  // OpenSSL takes a text without a certificate for an empty list, and would trust no authority.
  const isEmpty = typeof tls.ca === 'string' && !tls.ca.includes('-----BEGIN CERTIFICATE-----');
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
    return { ok: true, tls, changed: ['server.tls_folder'] };
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
