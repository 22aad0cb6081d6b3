/**
 * @module-tag openssl
 */
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readClientTls } from '../../src/tls.ts';

const certificates = new TestCertificates({ client: 'authority', other: 'authority' });
const text = (name: string) => readFileSync(certificates.file(name), 'utf8');
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

type Files = Parameters<TestCertificates['folder']>[0];
const read = (files: Files) => readClientTls(certificates.folder(files));

describe('readClientTls', () => {
  it('returns what the folder holds, and nothing without one', () => {
    const own = { cert: 'client.pem', key: 'client.key' };
    const pair = { cert: text('client.pem'), key: text('client.key') };
    const ca = [...getCACertificates(), text('authority.pem')];
    expect(readClientTls('')).toEqual({});
    expect(read(own)).toEqual(pair);
    expect(read({ ca: 'authority.pem' })).toEqual({ ca });
    expect(read({ ca: 'authority.pem', ...own })).toEqual({ ca, ...pair });
  });

  it.each<[string, Files, RegExp]>([
    ['is empty', {}, /^client\.tls_folder must hold ca\.crt, or/],
    ['has authorities that are none', { ca: 'no-certificate.pem' }, /^ca\.crt in client\.tls_folder must/],
    ['has a certificate without its key', { cert: 'client.pem' }, /^client\.tls_folder must hold/],
    ['has a key without its certificate', { key: 'client.key' }, /^client\.tls_folder must hold/],
    ['has the key of another', { cert: 'client.pem', key: 'other.key' }, /must belong together/],
  ])('refuses a folder that %s, and names the setting alone', (_, files, message) => {
    expect(() => read(files)).toThrow(message);
    expect(() => read(files)).not.toThrow(/winnow-tls|hello/);
  });

  it('refuses a folder that is not there', () => {
    expect(() => readClientTls('/nowhere/secret')).toThrow(/^client\.tls_folder must hold/);
  });
});
