import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Certificates for a test, in a folder of their own. */
export interface Certificates {
  /** The path of `NAME.pem` or `NAME.key`. */
  readonly file: (name: string) => string;
  readonly remove: () => void;
}

/** Makes an authority called `authority`, a `stranger` that is another, and a certificate of the first for each name, valid for 127.0.0.1. */
export function makeCertificates(names: readonly string[]): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-tls-'));
  const certify = (name: string, authority?: string) => {
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    const signed = authority ? ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`] : [];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
    execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...signed, ...files], {
      cwd: folder,
      stdio: 'ignore',
    });
  };
  for (const authority of ['authority', 'stranger']) certify(authority);
  for (const name of names) certify(name, 'authority');
  return { file: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}
