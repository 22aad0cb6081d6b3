import { expect, test } from 'vitest';
import { DocumentTable } from '../src/tools/document-table.ts';

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

const MANIFOLD = {
  name: 'größe',
  description: 'é\u00ff',
  namespace: 'shop',
  title: 'Größe',
  tags: ['measure', 'unit'],
  parameters: [{ name: 'a', text: '\u0080' }],
};

test('holds namespace, title and tags as lines of one text, appended or copied', () => {
  const bare = { name: 'n', description: '', parameters: [], tags: ['', 'only'] };
  const table = DocumentTable.of([MANIFOLD, bare]);
  table.append([MANIFOLD, bare]);
  const copy = table.copy(Uint32Array.of(3, 0, 2));
  const labelsOf = (of: DocumentTable) => Array.from({ length: of.size }, (_, at) => of.labels(at));
  const labels = 'shop\nGröße\nmeasure\nunit';
  expect(labelsOf(table)).toEqual([labels, 'only', labels, 'only']);
  expect(labelsOf(copy)).toEqual(['only', labels, labels]);
  expect(toDocuments(copy)).toEqual(toDocuments(DocumentTable.of([bare, MANIFOLD, MANIFOLD])));
});

test('counts the characters of a document', () => {
  const table = DocumentTable.of([MANIFOLD]);
  table.append([MANIFOLD]);
  const chars = ['größe', 'é\u00ff', 'shop\nGröße\nmeasure\nunit', 'a', '\u0080'].join('').length;
  expect([table.chars(0), table.chars(1)]).toEqual([chars, chars]);
});

test('gives what the meaning of a document is taken from', () => {
  const table = DocumentTable.of(DOCUMENTS);
  table.append([DOCUMENTS[0]!]);
  for (const position of [0, 3])
    expect(table.essence(position)).toEqual({ name: 'first', description: 'One' });
});

test('holds nothing when there are no documents', () => {
  const table = DocumentTable.of([]);
  expect(table.size).toBe(0);
  expect(table.bytes).toBe(0);
});

test('keeps no reference to the documents', () => {
  const documents = [{ name: 'before', description: '', parameters: [] }];
  const table = DocumentTable.of(documents);
  documents[0] = { name: 'after', description: '', parameters: [] };
  expect(table.name(0)).toBe('before');
});
