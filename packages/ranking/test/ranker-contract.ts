import { describe, expect, inject, test } from 'vitest';
import type { Ranker, RankerIndex, Ranking } from '../src/ranker.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';

/** Characters of what is very long: more than a megabyte where everything is tried. */
const LONG = inject('isExhaustive') ? 1_200_000 : 120_000;

/** The behaviour that every ranker has in common, as a suite. The contract in words: `src/ranker.ts`. */
export function proveRankerContract(ranker: Ranker): void {
  const prove: Prove = (behaviour, body) => test(behaviour, body);
  describe(`ranker ${ranker.name}`, () => {
    proveSizes(ranker, prove);
    proveRanking(ranker, prove);
    proveOwnership(ranker, prove);
    proveHostileInput(ranker, prove);
  });
}

type Prove = (behaviour: string, body: () => Promise<void> | void) => void;

function document(
  name: string,
  description = '',
  parameters: readonly [string, string][] = [],
): ToolDocument {
  return {
    name,
    description,
    parameters: parameters.map(([parameterName, text]) => ({ name: parameterName, text })),
  };
}

/** Fresh objects each time, so that a test may change them. */
function everyday(): ToolDocument[] {
  return [
    document('get_weather', 'Current weather at a place', [['city', 'Name of the city']]),
    document('send_mail', 'Send a message by mail', [['recipient', 'Address to send to']]),
    document('create_issue', 'Open a new issue in a repository', [['title', 'Title of the issue']]),
    document('list_issues', 'List issues of a repository', [['state', 'open\nclosed']]),
    document('translate_text', 'Translate text to another language', [['language', 'Target language']]),
    document('delete_file', 'Remove a file from the disk', [['path', 'Where the file is']]),
  ];
}

function positionsOf(ranking: Ranking): number[] {
  return ranking.hits.map((hit) => hit.position);
}

function proveSizes(ranker: Ranker, prove: Prove): void {
  prove('ranks no documents', async () => {
    const index = ranker.build([]);
    expect(index.size).toBe(0);
    expect(await index.rank('weather', { limit: 5 })).toEqual({ hits: [], totalMatches: 0 });
    expect(await index.rank('weather', { limit: 5, alsoPositions: [] })).toEqual({
      hits: [],
      totalMatches: 0,
    });
  });

  prove('ranks one document', async () => {
    const index = ranker.build(everyday().slice(0, 1));
    expect(index.size).toBe(1);
    const ranking = await index.rank('weather', { limit: 5 });
    expect(positionsOf(ranking)).toEqual([0]);
    expect(ranking.totalMatches).toBe(1);
    expect(await index.rank('zebra', { limit: 5 })).toEqual({ hits: [], totalMatches: 0 });
  });

  prove('ranks two documents, and two that are alike', async () => {
    expect(positionsOf(await ranker.build(everyday().slice(0, 2)).rank('mail', { limit: 5 }))).toEqual([1]);
    const twins = [document('send_mail', 'Send it'), document('send_mail', 'Send it')];
    expect(positionsOf(await ranker.build(twins).rank('mail', { limit: 5 }))).toEqual([0, 1]);
  });

  prove('ranks a word that every document has', async () => {
    const documents = ['a', 'b', 'c', 'd'].map((name) => document(`${name}_tool`, 'mail'));
    expect((await ranker.build(documents).rank('mail', { limit: 10 })).totalMatches).toBe(4);
  });

  prove('says how much memory it holds, more for more documents', () => {
    const small = ranker.build(everyday());
    const large = ranker.build(Array.from({ length: 50 }, everyday).flat());
    expect(small.bytes).toBeGreaterThan(0);
    expect(large.bytes).toBeGreaterThan(small.bytes);
  });
}

function proveRanking(ranker: Ranker, prove: Prove): void {
  prove('finds a tool by each word of its name first', async () => {
    const index = ranker.build(everyday());
    const firstFor = async (query: string) => positionsOf(await index.rank(query, { limit: 5 }))[0];
    expect(await firstFor('weather')).toBe(0);
    expect(await firstFor('mail')).toBe(1);
    expect(await firstFor('create')).toBe(2);
    expect(await firstFor('translate')).toBe(4);
    expect(await firstFor('file')).toBe(5);
  });

  prove('finds a tool by words of its description, of a parameter name, of a parameter text', async () => {
    const index = ranker.build(everyday());
    expect(positionsOf(await index.rank('disk', { limit: 5 }))).toContain(5);
    expect(positionsOf(await index.rank('recipient', { limit: 5 }))).toContain(1);
    expect(positionsOf(await index.rank('closed', { limit: 5 }))).toContain(3);
  });

  prove('says where it matched', async () => {
    const index = ranker.build(everyday());
    const fieldsOf = async (query: string, position: number) =>
      (await index.rank(query, { limit: 10 })).hits
        .find((hit) => hit.position === position)
        ?.matchedOn.filter((field) => field !== 'regex');
    expect(await fieldsOf('weather', 0)).toEqual(['name', 'description']);
    expect(await fieldsOf('issue', 2)).toEqual(['name', 'description', 'parameters']);
    expect(await fieldsOf('recipient', 1)).toEqual(['parameters']);
    expect(await fieldsOf('disk', 5)).toEqual(['description']);
  });

  prove('gives nothing for what is not known', async () => {
    const index = ranker.build(everyday());
    for (const query of ['zebra', 'qqqq xxxx', '猫', '']) {
      expect(await index.rank(query, { limit: 5 })).toEqual({ hits: [], totalMatches: 0 });
    }
  });

  prove('gives scores that are finite, positive and never rise', async () => {
    const { hits } = await ranker
      .build(everyday())
      .rank('open an issue in a repository and send mail about the weather', { limit: 10 });
    expect(hits.length).toBeGreaterThan(2);
    for (const [place, { score }] of hits.entries()) {
      expect(Number.isFinite(score) && score > 0).toBe(true);
      expect(score).toBeLessThanOrEqual(hits[place - 1]?.score ?? score);
    }
  });

  prove('keeps document order among equal scores, beyond ten and a hundred, whatever the limit', async () => {
    const documents = Array.from({ length: 300 }, () => document('send_mail', 'Send a message'));
    const index = ranker.build(documents);
    for (const limit of [1, 2, 11, 120, 200, 300]) {
      const ranking = await index.rank('mail', { limit });
      expect(positionsOf(ranking)).toEqual(Array.from({ length: limit }, (_, position) => position));
      expect(new Set(ranking.hits.map((hit) => hit.score)).size).toBe(1);
    }
  });

  prove('gives the best of a limit, and counts the others', async () => {
    const index = ranker.build(everyday());
    const all = await index.rank('issue repository mail file', { limit: 10 });
    expect(all.totalMatches).toBe(all.hits.length);
    expect(all.hits.length).toBeGreaterThanOrEqual(4);
    for (let limit = 1; limit <= all.hits.length; limit += 1) {
      const ranking = await index.rank('issue repository mail file', { limit });
      expect(ranking.hits).toEqual(all.hits.slice(0, limit));
      expect(ranking.totalMatches).toBe(all.totalMatches);
    }
  });

  prove('may leave hits for later, which are the same then', async () => {
    const index = ranker.build(everyday());
    const query = 'repository issue weather mail';
    const all = await index.rank(query, { limit: 4 });
    expect(all.hits.length).toBeGreaterThanOrEqual(3);
    for (let atOnce = 1; atOnce <= 5; atOnce += 1) {
      const { hits, later, totalMatches } = await index.rank(query, { limit: 4, atOnce });
      await index.rank('translate the text of a file', { limit: 4 });
      expect(hits.length + (later?.count ?? 0)).toBe(all.hits.length);
      expect([...hits, ...(later?.make() ?? [])]).toEqual(all.hits);
      expect(totalMatches).toBe(all.totalMatches);
      const wanted = all.hits.at(-1)!;
      const also = await index.rank(query, { limit: 4, atOnce, alsoPositions: [wanted.position] });
      expect(also.hits).toContainEqual(wanted);
      expect(new Set([...also.hits, ...(also.later?.make() ?? [])])).toEqual(new Set(all.hits));
    }
  });

  prove('adds wanted positions beyond the limit in their order, if they match at all', async () => {
    const index = ranker.build(everyday());
    const query = 'issue repository mail file';
    const all = await index.rank(query, { limit: 10 });
    const last = all.hits.at(-1)!;
    const wanted = await index.rank(query, { limit: 1, alsoPositions: [last.position, 4, 0] });
    expect(wanted.hits).toEqual([all.hits[0], last]);
    expect(wanted.totalMatches).toBe(all.totalMatches);
    const everything = await index.rank(query, { limit: 1, alsoPositions: [5, 4, 3, 2, 1, 0, 0] });
    expect(everything.hits).toEqual(all.hits);
  });

  prove(
    'leaves out what is excluded, before the limit and before counting, and scores the rest the same',
    async () => {
      const index = ranker.build(everyday());
      const query = 'issue repository mail file';
      const all = await index.rank(query, { limit: 10 });
      const best = all.hits[0]!.position;
      const excluded = Uint8Array.from({ length: 6 }, (_, position) => (position === best ? 1 : 0));
      const options = { limit: 1, excluded, alsoPositions: [best] };
      const ranking = await index.rank(query, options);
      expect(positionsOf(ranking)).toEqual(positionsOf(all).slice(1, 2));
      expect(ranking.totalMatches).toBe(all.totalMatches - 1);
      const none = await index.rank(query, { limit: 5, excluded: new Uint8Array(6).fill(1) });
      expect(none).toEqual({ hits: [], totalMatches: 0 });
    },
  );

  prove('orders equal scores as it is told', async () => {
    const index = ranker.build(Array.from({ length: 5 }, () => document('get_weather', 'Weather')));
    const places = [3, 1, 4, 0, 2];
    const compare = (left: number, right: number) => places[left]! - places[right]!;
    expect(positionsOf(await index.rank('weather', { limit: 9, compare }))).toEqual([3, 1, 4, 0, 2]);
    const some = await index.rank('weather', { limit: 2, alsoPositions: [2, 0], compare });
    expect(positionsOf(some)).toEqual([3, 1, 0, 2]);
    const { hits, later } = await index.rank('weather', { limit: 4, atOnce: 1, compare });
    expect([...hits, ...(later?.make() ?? [])].map(({ position }) => position)).toEqual([3, 1, 4, 0]);
  });

  prove('gives a position once that is wanted and within the limit', async () => {
    const index = ranker.build(everyday());
    const positions = positionsOf(await index.rank('issue', { limit: 5, alsoPositions: [2, 2, 3] }));
    expect(positions).toHaveLength(new Set(positions).size);
  });
}

function proveOwnership(ranker: Ranker, prove: Prove): void {
  const QUERIES = ['issue', 'mail weather', 'open repository', 'file', 'zebra'];
  const rankAll = (index: RankerIndex) =>
    Promise.all(QUERIES.map((query) => index.rank(query, { limit: 4 })));

  prove('gives the same ranking each time, from each build, and to queries at once', async () => {
    const index = ranker.build(everyday());
    const first = await rankAll(index);
    expect(await rankAll(index)).toEqual(first);
    expect(await rankAll(ranker.build(everyday()))).toEqual(first);
    const oneByOne: Ranking[] = [];
    for (const query of QUERIES) oneByOne.push(await index.rank(query, { limit: 4 }));
    expect(oneByOne).toEqual(first);
  });

  prove('keeps two indexes apart', async () => {
    const index = ranker.build(everyday());
    const before = await rankAll(index);
    const other = ranker.build([document('weather_mail', 'issue'), document('file')]);
    await rankAll(other);
    expect(await rankAll(index)).toEqual(before);
  });

  prove('does not change the documents', () => {
    const documents = everyday();
    ranker.build(documents);
    expect(documents).toEqual(everyday());
  });

  prove('keeps no hold of the documents: changing them afterwards changes nothing', async () => {
    const documents = everyday();
    const index = ranker.build(documents);
    const before = await rankAll(index);
    documents[0] = document('mail', 'mail issue file');
    (documents[1]!.parameters as { name: string; text: string }[])[0]!.text = 'issue file zebra';
    documents.length = 3;
    expect(await rankAll(index)).toEqual(before);
    expect(index.size).toBe(6);
  });

  prove('gives rankings that the caller may change', async () => {
    const index = ranker.build(everyday());
    const before = await rankAll(index);
    for (const ranking of await rankAll(index)) (ranking.hits as unknown[]).length = 0;
    expect(await rankAll(index)).toEqual(before);
  });
}

function proveHostileInput(ranker: Ranker, prove: Prove): void {
  prove('bears documents without any text among others', async () => {
    const index = ranker.build([
      document(''),
      ...everyday(),
      document('', '   \n'),
      document('!!!', '…', [['', '']]),
    ]);
    expect(positionsOf(await index.rank('weather', { limit: 5 }))).toEqual([1]);
    const blank = ranker.build([document(''), document(''), document(''), document('')]);
    expect(await blank.rank('weather', { limit: 5 })).toEqual({ hits: [], totalMatches: 0 });
  });

  prove('bears names that are keys of every object, in documents and queries', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length'];
    const index = ranker.build(names.map((name) => document(name, `${name} does it`)));
    for (const [position, name] of names.entries()) {
      expect(positionsOf(await index.rank(name, { limit: 1 }))).toEqual([position]);
    }
    const plain = ranker.build(everyday());
    // The other names hold words that are in the documents: "to", "of".
    for (const name of ['__proto__', 'constructor']) {
      expect((await plain.rank(name, { limit: 5 })).hits).toEqual([]);
    }
  });

  prove('bears names that look like integers, and keeps their order', async () => {
    const names = ['30', '7', '200', '7', '1'];
    const index = ranker.build(names.map((name) => document(name, 'mail')));
    expect(positionsOf(await index.rank('mail', { limit: 5 }))).toEqual([0, 1, 2, 3, 4]);
  });

  prove('bears a very long document, as one word and as many', async () => {
    const index = ranker.build([
      ...everyday(),
      document('x'.repeat(LONG)),
      document('many', 'word '.repeat(LONG / 5)),
      document('letters', '天'.repeat(LONG / 3)),
    ]);
    expect(positionsOf(await index.rank('weather', { limit: 5 }))).toEqual([0]);
    expect(positionsOf(await index.rank('many', { limit: 5 }))[0]).toBe(7);
  });

  prove('bears a document with 5,000 parameters', async () => {
    const parameters = Array.from({ length: 5_000 }, (_, n): [string, string] => [`p${n}`, `text ${n}`]);
    const index = ranker.build([...everyday(), document('wide', 'Wide', parameters)]);
    expect(positionsOf(await index.rank('weather', { limit: 5 }))).toEqual([0]);
  });

  prove('bears lone surrogates and control characters in documents', async () => {
    const index = ranker.build([
      document('\ud83d', '\udc00\u0000\u0007', [['\ud800', '\udfff']]),
      ...everyday(),
    ]);
    expect(positionsOf(await index.rank('weather', { limit: 5 }))).toEqual([1]);
    expect((await index.rank('\ud83d', { limit: 5 })).hits.length).toBeLessThanOrEqual(1);
  });

  const HOSTILE_QUERIES: readonly [string, string][] = [
    ['an empty query', ''],
    ['white space', ' \n\t\u3000'],
    ['one very long word', 'x'.repeat(LONG)],
    ['very many words', 'weather mail '.repeat(LONG / 12)],
    ['very many different words', Array.from({ length: LONG / 8 }, (_, n) => `w${n}`).join(' ')],
    ['very many letters without spaces', '天気予報'.repeat(LONG / 4)],
    ['control characters', '\u0000\u0001\u001b[31m\u007f'],
    ['lone surrogates', '\ud83d \udc00 \ud83d'],
    ['marks without letters', '\u0301'.repeat(10_000)],
    ['punctuation', '.,;:!?-_/\\|*+()[]{}^$'.repeat(100)],
    ['brackets that never close', '('.repeat(50_000)],
  ];
  for (const [what, query] of HOSTILE_QUERIES) {
    prove(`answers ${what}`, async () => {
      const index = ranker.build(everyday());
      const ranking = await index.rank(query, { limit: 3, alsoPositions: [5] });
      expect(ranking.hits.length).toBeLessThanOrEqual(4);
      for (const { score } of ranking.hits) expect(Number.isFinite(score) && score > 0).toBe(true);
    });
  }
}
