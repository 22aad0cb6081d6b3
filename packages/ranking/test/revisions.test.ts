import { describe, expect, inject, test } from 'vitest';
import { buildCatalogueOf, buildInTurns, type Catalogue, LiveCatalogue } from '../src/catalogue/catalogue.ts';
import { type Hit, noPause } from '../src/ranker.ts';
import { findTools } from '../src/search/find-tools.ts';
import { toDocument } from '../src/tools/to-document.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';

const isExhaustive = inject('isExhaustive');

/** A seeded source of numbers below a bound (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below) | 0;
  };
}

const WORDS =
  'get list create delete issue repository weather forecast mail message user by id the of pull request search file folder invoice payment refund 天気予報 übersetzen k8s getUserById'.split(
    ' ',
  );

function randomDocument(next: (below: number) => number): ToolDocument {
  const words = (most: number): string =>
    Array.from({ length: 1 + next(most) }, () => WORDS[next(WORDS.length)]).join(' ');
  return {
    name: words(4).replaceAll(' ', next(2) === 0 ? '_' : '-'),
    description: `${words(8)}. ${words(12)}`,
    ...(next(3) === 0 && { namespace: words(1), title: words(2), tags: [words(1), words(1)] }),
    ...(next(4) === 0 && { aliases: [words(2)] }),
    parameters: Array.from({ length: next(4) }, () => ({ name: words(2), text: words(5) })),
  };
}

/** Queries of every kind: words, several sentences, misspelt, prefixes only, similar only, names, globs, expressions, nothing. */
const PATTERNS = [
  'list the issues of a repository',
  'Please get the weather. Then send a mail; and delete a file.',
  'repositry wether forcast',
  'repo pr',
  'weath',
  'invoicepaymentrefund',
  'get_user',
  'select:get_issue,list-mail,天気予報',
  '天気',
  'get_*',
  '*_id*',
  'list|create',
  'get_.*(user|issue)',
  '(?i)MESSAGE',
  'the of by',
  'zzzz',
];

/** Returns the results of a search, by places in the order of the catalogue, at once and in parts. */
async function found(catalogue: Catalogue, pattern: string, excludedPlaces?: ReadonlySet<number>) {
  const { query, all, inPlaces } = await foundAtOnce(catalogue, pattern, excludedPlaces);
  const inParts = await findTools(catalogue, { ...query, atOnce: 3 }, noPause);
  // Only hits that are returned at once are judged.
  const unjudged = (hits: readonly Hit[]) => hits.map(({ confidence: _confidence, ...hit }) => hit);
  expect(unjudged([...inParts.hits, ...(inParts.later?.make() ?? [])])).toEqual(unjudged(all));
  expect(inParts.hits.length + (inParts.later?.count ?? 0)).toBe(all.length);
  return inPlaces;
}

async function foundAtOnce(catalogue: Catalogue, pattern: string, excludedPlaces?: ReadonlySet<number>) {
  const placeOf = placesIn(catalogue);
  const excluded =
    excludedPlaces &&
    Uint8Array.from({ length: catalogue.positions }, (_, position) =>
      excludedPlaces.has(placeOf(position) ?? -1) ? 1 : 0,
    );
  const query = { pattern, searchType: 'auto', limit: 20, ...(excluded && { excluded }) } as const;
  const { hits, ...rest } = await findTools(catalogue, query, noPause);
  const inPlaces = hits.map(({ position, ...hit }) => ({ ...hit, place: placeOf(position) }));
  return { query, all: hits, inPlaces: { ...rest, hits: inPlaces } };
}

async function expectSame(revised: Catalogue, documents: readonly ToolDocument[]): Promise<void> {
  const built = buildCatalogueOf(documents);
  expect(revised.size).toBe(built.size);
  const expectSameFor = async (...search: [pattern: string, excludedPlaces?: ReadonlySet<number>]) => {
    const { inPlaces } = await foundAtOnce(built, ...search);
    expect(await found(revised, ...search)).toEqual(inPlaces);
  };
  for (const pattern of PATTERNS) await expectSameFor(pattern);
  await expectSameFor(PATTERNS[0]!, new Set([...documents.keys()].filter((place) => place % 2 === 1)));
}

describe('a catalogue that is built in slices', () => {
  test.each([0, 1, 64, 65, 700])('finds what one built at once finds, with %i tools', async (count) => {
    const next = numbersFrom(count);
    const tools = Array.from({ length: count }, () => {
      const { name, description } = randomDocument(next);
      return { name, description };
    });
    let pauses = 0;
    const catalogue = await buildInTurns(tools, async () => {
      pauses += 1;
    });
    expect(pauses).toBe(Math.max(0, Math.ceil(count / 64) - 1));
    await expectSame(
      catalogue,
      tools.map((tool) => toDocument(tool)),
    );
  });
});

function positionsInOrder({
  positions,
  absent,
  compare = (left, right) => left - right,
}: Catalogue): number[] {
  return Array.from({ length: positions }, (_, position) => position)
    .filter((position) => absent?.[position] !== 1)
    .sort(compare);
}

/** Returns the places of positions in the order of the catalogue. */
function placesIn(catalogue: Catalogue): (position: number) => number | undefined {
  const places = new Map(positionsInOrder(catalogue).map((position, place) => [position, place]));
  return (position) => places.get(position);
}

describe('a live catalogue', () => {
  test.each(isExhaustive ? [1, 2, 3] : [3])('is what its changes say, seed %i', async (seed) => {
    const next = numbersFrom(100 + seed);
    const live = new LiveCatalogue();
    const model = new Map<string, ToolDocument>();
    for (let round = 0; round < (isExhaustive ? 12 : 4); round += 1) {
      for (let changes = next(round % 4 === 0 ? 400 : 40); changes >= 0; changes -= 1) {
        const key = `key${next(300)}`;
        const document = next(3) === 0 ? undefined : randomDocument(next);
        live.apply([{ key, document }]);
        if (document === undefined) model.delete(key);
        else model.set(key, document);
      }
      const sorted = [...model].sort(([left], [right]) => (left < right ? -1 : 1));
      const { catalogue, keyAt } = live.snapshot();
      expect(positionsInOrder(catalogue).map(keyAt)).toEqual(sorted.map(([key]) => key));
      await expectSame(
        catalogue,
        sorted.map(([, document]) => document),
      );
    }
  });

  test.each(isExhaustive ? [1, 2, 3] : [3])(
    'gives snapshots that stay as they were, in whatever order they are asked, seed %i',
    async (seed) => {
      const next = numbersFrom(200 + seed);
      const live = new LiveCatalogue();
      const model = new Map<string, ToolDocument>();
      const kept: { catalogue: Catalogue; documents: readonly ToolDocument[] }[] = [];
      for (let round = 0; round < 30; round += 1) {
        for (let changes = next(6) + (round === 0 ? 60 : 0); changes >= 0; changes -= 1) {
          const key = `key${next(80)}`;
          const document = next(3) === 0 ? undefined : randomDocument(next);
          live.apply([{ key, document }]);
          if (document === undefined) model.delete(key);
          else model.set(key, document);
        }
        const sorted = [...model].sort(([left], [right]) => (left < right ? -1 : 1));
        kept.push({
          catalogue: live.snapshot().catalogue,
          documents: sorted.map(([, document]) => document),
        });
      }
      const most = isExhaustive ? 12 : 6;
      for (let asked = 0; asked < most; asked += 1) {
        const { catalogue, documents } = kept[next(kept.length)]!;
        await expectSame(catalogue, documents);
        if (asked === most / 2) live.apply([{ key: 'last', document: randomDocument(next) }]);
        live.snapshot();
      }
    },
  );

  test('gives one snapshot to all until something changes, and leaves it alone afterwards', async () => {
    const live = new LiveCatalogue();
    const documents = Array.from({ length: 30 }, () => randomDocument(numbersFrom(7)));
    live.apply(documents.map((document, at) => ({ key: `${at}`, document })));
    const before = live.snapshot();
    expect(live.snapshot().catalogue).toBe(before.catalogue);
    const sample = await found(before.catalogue, 'get the weather');
    live.apply(documents.map((_, at) => ({ key: `${at}`, document: undefined })));
    expect(live.snapshot().catalogue.size).toBe(0);
    expect(await found(before.catalogue, 'get the weather')).toEqual(sample);
    expect(before.keyAt(0)).toBe('0');
  });

  test('excludes before ranking and before the limit, with the statistics of all', async () => {
    const live = new LiveCatalogue();
    const document = (name: string): ToolDocument => ({ name, description: 'Send mail', parameters: [] });
    live.apply(['a:mail', 'b:mail', 'b:letter'].map((key) => ({ key, document: document(key.slice(2)) })));
    const { catalogue, keyAt, excluding } = live.snapshot();
    const excluded = excluding((key) => key.startsWith('b:'));
    const query = { pattern: 'mail', searchType: 'auto', limit: 1 } as const;
    const { hits, totalMatches } = await findTools(catalogue, { ...query, excluded }, noPause);
    expect(hits.map(({ position }) => keyAt(position))).toEqual(['b:mail']);
    expect(totalMatches).toBe(2);
    const all = await findTools(catalogue, query, noPause);
    expect(all.totalMatches).toBe(3);
    expect(all.hits[0]!.position).not.toBe(hits[0]!.position);
  });

  test('finds by namespace, title and tags, and by an alias as by an exact name', async () => {
    const live = new LiveCatalogue();
    live.apply([
      {
        key: 'github:create',
        document: {
          name: 'create',
          namespace: 'github',
          title: 'Open a ticket',
          tags: ['tracker'],
          aliases: ['github:create', 'github__create'],
          description: '',
          parameters: [],
        },
      },
      { key: 'x', document: { name: 'other', description: 'Something', parameters: [] } },
    ]);
    const { catalogue } = live.snapshot();
    const matchedOn = async (pattern: string) => (await found(catalogue, pattern)).hits[0]?.matchedOn;
    expect(await matchedOn('github')).toEqual(['name']);
    expect(await matchedOn('ticket')).toEqual(['description']);
    expect(await matchedOn('tracker')).toEqual(['description']);
    expect(await matchedOn('t[r]acker$')).toEqual(['description', 'regex']);
    expect(await matchedOn('use github__create now')).toContain('exact_name');
    expect(await matchedOn('github:create')).toContain('exact_name');
  });
});
