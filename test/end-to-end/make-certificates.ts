import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Certificates in a folder of their own. */
export interface Certificates {
  /** The path of a file, such as `server.pem` or `server.key`. */
  readonly file: (name: string) => string;
  readonly remove: () => void;
}

/**
 * Makes two authorities, `authority` and `stranger`; for 127.0.0.1 a `server` and a `client` of the one and a `strange-client` of the
 * other; and `no-certificate.pem`, which is none.
 */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-tls-'));
  for (const authority of ['authority', 'stranger']) certify(folder, authority);
  for (const name of ['server', 'client']) certify(folder, name, 'authority');
  certify(folder, 'strange-client', 'stranger');
  writeFileSync(join(folder, 'no-certificate.pem'), 'hello');
  return { file: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}

/** A certificate of `authority`, or of itself. */
function certify(folder: string, name: string, authority?: string): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const signed = authority ? ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`] : [];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const output = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...signed, ...output], {
    cwd: folder,
    stdio: 'ignore',
  });
}
