import { expect, test } from 'vitest';
import { DocumentTable } from '../src/tools/document-table.ts';
import { DocumentTexts } from '../src/tools/document-texts.ts';

const DOCUMENTS = [
  { name: 'first', description: 'One', parameters: [{ name: 'a', text: 'A text' }] },
  { name: '', description: '', parameters: [] },
  {
    name: '第三\ud83d',
    description: '\ude00 three',
    parameters: [
      { name: '', text: '' },
      { name: 'b', text: 'B' },
    ],
  },
];

const toDocuments = (table: DocumentTable) =>
  Array.from({ length: table.size }, (_, position) => ({
    name: table.name(position),
    description: table.description(position),
    pieces: [...table.parameterPieces(position)],
  }));

test('gives back the texts of every document, code unit for code unit', () => {
  expect(toDocuments(DocumentTable.of(DOCUMENTS))).toEqual([
    { name: 'first', description: 'One', pieces: ['a', 'A text'] },
    { name: '', description: '', pieces: [] },
    { name: '第三\ud83d', description: '\ude00 three', pieces: ['', '', 'b', 'B'] },
  ]);
});

test('is the same of texts that were gathered', () => {
  const texts = new DocumentTexts();
  for (const document of DOCUMENTS) texts.add(document);
  const long = { name: 'n'.repeat(300_000), description: 'd'.repeat(70_000), parameters: [] };
  texts.add(long);
  const all = [...DOCUMENTS, long];
  expect(DocumentTable.ofTexts(texts).pack()).toEqual(DocumentTable.of(all).pack());
  all.forEach(({ name }, document) => {
    expect(texts.piece(texts.firstPiece(document)) === name).toBe(true);
  });
});

test('of Latin letters alone takes a byte for each, as text and in pieces', () => {
  const texts = new DocumentTexts();
  const document = { name: 'größe', description: 'é\u00ff', parameters: [{ name: 'a', text: '\u0080' }] };
  texts.add(document);
  texts.addAscii(Buffer.from('xnamey'), 1, 5);
  texts.endPiece();
  texts.endPiece();
  texts.endDocument();
  const table = DocumentTable.ofTexts(texts);
  expect(toDocuments(table)).toEqual([
    { name: 'größe', description: 'é\u00ff', pieces: ['a', '\u0080'] },
    { name: 'name', description: '', pieces: [] },
  ]);
});

test('gives what the meaning of a document is taken from, packed or appended', () => {
  const table = DocumentTable.of(DOCUMENTS);
  table.append([DOCUMENTS[0]!]);
  for (const position of [0, 3])
    expect({ ...table.essence(position) }).toMatchObject({
      name: 'first',
      description: 'One',
      parameters: [{ name: 'a' }],
    });
  expect(table.essence(2).parameters).toMatchObject([{ name: '' }, { name: 'b' }]);
});

test('says where the texts of a document lie', () => {
  const table = DocumentTable.of(DOCUMENTS);
  expect(table.text.slice(table.start(0), table.start(1))).toBe('firstOneaA text');
  expect(table.text.slice(table.start(1), table.start(2))).toBe('');
  expect(table.start(3)).toBe(table.text.length);
});

test('survives a structured clone that moves its arrays', () => {
  const packed = DocumentTable.of(DOCUMENTS).pack();
  const before = toDocuments(DocumentTable.of(DOCUMENTS));
  const moved = structuredClone(packed, {
    transfer: [packed.pieceEnds.buffer as ArrayBuffer, packed.firstPieces.buffer as ArrayBuffer],
  });
  expect(toDocuments(new DocumentTable(moved))).toEqual(before);
});

test('holds nothing when there are no documents', () => {
  const table = DocumentTable.of([]);
  expect(table.size).toBe(0);
  expect(table.start(0)).toBe(0);
});

test('keeps no reference to the documents', () => {
  const documents = [{ name: 'before', description: '', parameters: [] }];
  const table = DocumentTable.of(documents);
  documents[0] = { name: 'after', description: '', parameters: [] };
  expect(table.name(0)).toBe('before');
});
