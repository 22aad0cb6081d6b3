import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The certificate authorities: two that do not trust each other. */
export type Authority = 'authority' | 'stranger';

/**
 * Certificates for 127.0.0.1 and NAME.test in their own folder: those of the two authorities, those that they signed, and
 * `no-certificate.pem`, which is invalid.
 *
 * Their paths are known before they are created, so that a table of test cases can name them. Needs
 * `openssl`.
 */
export class TestCertificates {
  readonly #signers: Readonly<Record<string, Authority>>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'winnow-tls-'));

  /** The certificates by name, each with the authority that signs it. */
  constructor(signers: Readonly<Record<string, Authority>>) {
    this.#signers = signers;
  }

  /** Returns the path of `NAME.pem` or `NAME.key`. */
  file(name: string): string {
    return join(this.#folder, name);
  }

  /** Returns a folder with copies of these files, under the names of a TLS secret of Kubernetes. */
  folder({ ca, cert, key }: Readonly<Partial<Record<'ca' | 'cert' | 'key', string>>>): string {
    const folder = mkdtempSync(join(this.#folder, 'tls-'));
    const names = { 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key };
    for (const [name, file] of Object.entries(names))
      if (file !== undefined) copyFileSync(this.file(file), join(folder, name));
    return folder;
  }

  make(): void {
    for (const authority of ['authority', 'stranger']) this.#certify(authority);
    for (const [name, authority] of Object.entries(this.#signers)) this.#certify(name, authority);
    writeFileSync(this.file('no-certificate.pem'), 'hello');
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** Creates a certificate signed by an authority, or self-signed. */
  #certify(name: string, authority?: string): void {
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=IP:127.0.0.1,DNS:${name}.test`];
    const signed = authority ? ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`] : [];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const output = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
    execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...signed, ...output], {
      cwd: this.#folder,
      stdio: 'ignore',
    });
  }
}
