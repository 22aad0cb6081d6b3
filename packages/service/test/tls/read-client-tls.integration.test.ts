/**
 * @module-tag openssl
 */
import { readFileSync } from 'node:fs';
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientTlsFiles, readClientTls } from '../../src/tls.ts';

const certificates = new TestCertificates({ client: 'authority', other: 'authority' });
const file = (name: string) => certificates.file(name);
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

const NONE: ClientTlsFiles = { ca_file: '', cert_file: '', key_file: '' };
const read = (files: Partial<ClientTlsFiles>) => () => readClientTls('redis', { ...NONE, ...files });

describe('readClientTls', () => {
  it('returns the texts of the configured files', () => {
    expect(read({})()).toEqual({});
    const files = {
      ca_file: file('authority.pem'),
      cert_file: file('client.pem'),
      key_file: file('client.key'),
    };
    expect(read(files)()).toEqual({
      ca: readFileSync(files.ca_file, 'utf8'),
      cert: readFileSync(files.cert_file, 'utf8'),
      key: readFileSync(files.key_file, 'utf8'),
    });
  });

  it.each<[string, Partial<ClientTlsFiles>, RegExp]>([
    ['is not there', { ca_file: '/nowhere/secret.pem' }, /^redis\.ca_file must name .* \(ENOENT\)\.$/],
    ['is a folder', { ca_file: '/' }, /^redis\.ca_file must name .* \(EISDIR\)\.$/],
    ['has no certificate', { ca_file: file('no-certificate.pem') }, /^redis\.ca_file must be a PEM file/],
    ['stands without its key', { cert_file: file('client.pem') }, /belong together|go together/],
    ['stands without its certificate', { key_file: file('client.key') }, /belong together|go together/],
    [
      'has the key of another',
      { cert_file: file('client.pem'), key_file: file('other.key') },
      /^redis\.cert_file and redis\.key_file must be PEM/,
    ],
  ])('refuses a file that %s, and names the setting alone', (_, files, message) => {
    expect(read(files)).toThrow(message);
    expect(read(files)).not.toThrow(/secret|nowhere|hello/);
  });
});
