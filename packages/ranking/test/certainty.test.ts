import { expect, it, test } from 'vitest';
import { buildCatalogueOf } from '../src/catalogue/catalogue.ts';
import { toInt8Vector } from '../src/meaning/int8-vector.ts';
import { noPause } from '../src/pause.ts';
import { bm25 } from '../src/rankers/bm25.ts';
import { wink } from '../src/rankers/wink.ts';
import { selectTools, type ToolQuery } from '../src/search/select-tools.ts';

const document = (name: string, description: string) => ({ name, description, parameters: [] });
const documents = [
  document('send_message', 'Sends a message to a person or channel of the chat.'),
  document('list_invoices', 'Lists the invoices of a customer, newest first.'),
  document('brew_coffee', 'Starts the coffee machine in the kitchen.'),
  document('get_weather', 'Current weather and forecast of a place.'),
  document('create_event', 'Creates an event in a calendar, with its guests.'),
  document('query_database', 'Runs a query on a database and returns its rows.'),
];
const catalogue = buildCatalogueOf(documents, bm25);
const select = (pattern: string, options: Partial<ToolQuery> = {}, of = catalogue) =>
  selectTools(of, { pattern, topK: 3, alwaysKeep: [], searchType: 'auto', ...options }, noPause);

it('is found where a tool has what is asked for, whatever else the request says', async () => {
  const searches = [
    'weather',
    'list invoices',
    'send a message',
    'wheather forecast',
    'Could you look up what the weather in Lisbon will be like next week?',
  ];
  for (const pattern of searches)
    expect(await select(pattern), pattern).toMatchObject({ certainty: 'found', unknownWords: [] });
});

it('is weak where the matches share little with the request, and says which words no tool has', async () => {
  const { certainty, unknownWords, references, noMatch } = await select(
    'start quantum Telemetry of my rocket',
  );
  expect({ certainty, unknownWords, noMatch }).toEqual({
    certainty: 'weak',
    unknownWords: ['quantum', 'Telemetry', 'rocket'],
    noMatch: false,
  });
  expect(references[0]).toMatchObject({ name: 'brew_coffee' });
  expect(references[0]!.confidence).toBeLessThan(0.1);
});

it('is none where nothing matches', async () => {
  expect(await select('qqqq zzzz')).toMatchObject({
    certainty: 'none',
    noMatch: true,
    unknownWords: ['qqqq', 'zzzz'],
  });
});

test.each(['brew_coffee', 'brew_coffee rocket telemetry quantum', 'brew_*', '^(brew|send)_'])(
  'a name, a glob or an expression is never weak: %s',
  async (pattern) => {
    expect(await select(pattern)).toMatchObject({ certainty: 'found' });
  },
);

it('takes what meaning says for found, and a ranker that cannot judge', async () => {
  const vector = toInt8Vector([1, 0])!;
  const meaning = {
    vectorsOf: async (_query: string, positions: readonly number[]) => ({
      query: vector,
      tools: positions.map((position) => toInt8Vector([1, position])),
    }),
  };
  const pattern = 'start quantum telemetry of my message rocket';
  expect(await select(pattern, { meaning })).toMatchObject({ certainty: 'found' });
  const byWink = buildCatalogueOf(documents, wink);
  expect(await select(pattern, {}, byWink)).toMatchObject({ certainty: 'found' });
});

it('returns at most eight unknown words, none of which is long', async () => {
  const words = Array.from({ length: 20 }, (_, at) => `zq${'abcdefghijklmnopqrst'[at]}xv`);
  const { unknownWords } = await select(`${'q'.repeat(60)} ${words.join(' ')}`);
  expect(unknownWords).toEqual(words.slice(0, 8));
});
