import { expect, it } from 'vitest';
import { NameScan } from '../../src/json/scan-json.ts';

const NAME = 'search_tools';

function find(text: string, pieceBytes: number): boolean {
  const scan = new NameScan(NAME);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) scan.push(bytes.subarray(at, at + pieceBytes));
  return scan.isFound;
}

const escaped = [...NAME]
  .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
  .join('');

it.each([
  ['as it is', `{"name":"${NAME}"}`],
  ['with one letter escaped', String.raw`{"name":"search\u005ftools"}`],
  ['with every letter escaped', `{"x":"${'世'.repeat(30)}","name":"${escaped}"} and more`],
])('finds a name %s, however the bytes are cut', (_, text) => {
  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) expect(find(text, pieceBytes)).toBe(true);
});

it('does not find a name that is not there', () => {
  const text = String.raw`{"names":["search","tools","search-tools","search\u002dtools","\\","search\\_tools"]}`;
  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++)
    expect(find(text, pieceBytes)).toBe(false);
});
