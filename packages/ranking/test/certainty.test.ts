import { expect, it, test } from 'vitest';
import { buildCatalogueOf } from '../src/catalogue/catalogue.ts';
import { toInt8Vector } from '../src/meaning/meaning-source.ts';
import { noPause } from '../src/ranker.ts';
import { findTools } from '../src/search/find-tools.ts';
import { selectTools, type ToolQuery } from '../src/search/select-tools.ts';
import { wordRanker } from './word-ranker.ts';

const document = (name: string, description: string) => ({ name, description, parameters: [] });
const documents = [
  document('send_message', 'Sends a message to a person or channel of the chat.'),
  document('list_invoices', 'Lists the invoices of a customer, newest first.'),
  document('brew_coffee', 'Starts the coffee machine in the kitchen.'),
  document('get_weather', 'Current weather and forecast of a place.'),
  document('create_event', 'Creates an event in a calendar, with its guests.'),
  document('query_database', 'Runs a query on a database and returns its rows.'),
  ...['fan', 'pump', 'lamp', 'oven'].map((device) =>
    document(`${device}_on`, `Drives the ${device} in the kitchen.`),
  ),
];
const catalogue = buildCatalogueOf(documents);
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

it('is no less found in a catalogue of thousands of tools', async () => {
  const others = Array.from({ length: 6_000 }, (_, at) =>
    document(`t${at}`, `Handles case ${at % 61} of kind ${at % 89} in region ${at % 97}.`),
  );
  const large = buildCatalogueOf([...documents, ...others]);
  for (const pattern of ['rows and columns', 'what rows mention overdue payments in march'])
    expect(await select(pattern, {}, large), pattern).toMatchObject({ certainty: 'found' });
});

it('is weak where the matches share little with the request, and says which words no tool has', async () => {
  const { certainty, unknownWords, references, noMatch } = await select(
    'kitchen quantum Telemetry of my rocket',
  );
  expect({ certainty, unknownWords, noMatch }).toEqual({
    certainty: 'weak',
    unknownWords: ['quantum', 'Telemetry', 'rocket'],
    noMatch: false,
  });
  expect(references[0]).toMatchObject({ name: 'pump_on' });
  expect(references[0]!.confidence).toBeLessThan(0.055);
});

it('is the same where nothing but it is needed, with confidence for no hit after the first that is found', async () => {
  for (const pattern of [
    'list invoices',
    'send a message or an event',
    'kitchen quantum Telemetry',
    'qqqq',
  ]) {
    const query = { pattern, searchType: 'keyword', limit: 5 } as const;
    const whole = await findTools(catalogue, query, noPause);
    const short = await findTools(catalogue, { ...query, needsCertaintyOnly: true }, noPause);
    const placesOf = ({ hits }: typeof whole) => hits.map(({ position }) => position);
    expect([short.certainty, short.unknownWords, placesOf(short)], pattern).toEqual([
      whole.certainty,
      whole.unknownWords,
      placesOf(whole),
    ]);
    const isFound = whole.hits.findIndex(({ confidence = 0 }) => confidence >= 0.055);
    const judged = short.hits.filter(({ confidence }) => confidence !== undefined).length;
    expect(judged, pattern).toBe(isFound < 0 ? whole.hits.length : isFound + 1);
  }
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

it('is found where every word of the request is common, as in a catalogue of one service', async () => {
  const tools = ['issue', 'branch', 'release', 'label', 'commit', 'fork'].map((thing) =>
    document(`github_list_${thing}`, `Lists each ${thing} of a repository.`),
  );
  const of = buildCatalogueOf(tools);
  expect(await select('github', {}, of)).toMatchObject({ certainty: 'found' });
  expect(await select('github gist comments of people', {}, of)).toMatchObject({ certainty: 'weak' });
});

it('is weak where a large catalogue has common words of the request, and its tools do something else', async () => {
  const [verbs, things] = ['run stop pause list plan drop', 'job queue lane task batch slot'].map((words) =>
    words.split(' '),
  );
  const places = [
    'before lunch on weekdays in spring',
    'at night',
    'after lunch',
    'on weekdays',
    'in spring',
    'once',
  ];
  const tools = verbs!.flatMap((verb) =>
    things!.flatMap((thing) =>
      places.map((place, at) =>
        document(`${verb}_${thing}_${at}`, `Does ${verb} a ${thing}. Happens ${place}.`),
      ),
    ),
  );
  const of = buildCatalogueOf(tools);
  expect(await select('lunch weekdays spring menu', {}, of)).toMatchObject({ certainty: 'weak' });
  expect(await select('pause queue menu', {}, of)).toMatchObject({ certainty: 'found' });
});

/** A meaning in which the query has this cosine with the nearest tool, and none with the others. */
const meaningOf = (cosine: number) => ({
  vectorsOf: async (_query: string, positions: readonly number[]) => ({
    query: toInt8Vector([1, 0])!,
    tools: positions.map((position) =>
      toInt8Vector(position === 2 ? [cosine, Math.sqrt(1 - cosine ** 2)] : [0, 1]),
    ),
  }),
});

it('takes meaning into account: what is near is found, what is far stays or becomes weak', async () => {
  const chance = 'kitchen quantum telemetry of my rocket';
  expect(await select(chance, { meaning: meaningOf(0.2) })).toMatchObject({ certainty: 'weak' });
  expect(await select(chance, { meaning: meaningOf(0.7) })).toMatchObject({
    certainty: 'found',
    unknownWords: [],
  });
  const close = 'start the machine';
  expect(await select(close)).toMatchObject({ certainty: 'found' });
  expect(await select(close, { meaning: meaningOf(-0.9) })).toMatchObject({ certainty: 'weak' });
});

it('goes by words where meaning has no vectors', async () => {
  const meaning = { vectorsOf: async () => undefined };
  expect(await select('kitchen quantum telemetry of my rocket', { meaning })).toMatchObject({
    certainty: 'weak',
  });
});

it('takes what a ranker finds that cannot judge for found', async () => {
  const byWords = buildCatalogueOf(documents, wordRanker);
  const found = await select('start quantum telemetry of my message rocket', {}, byWords);
  expect(found).toMatchObject({ certainty: 'found' });
});

it('returns at most eight unknown words, and no long ones', async () => {
  const words = Array.from({ length: 20 }, (_, at) => `zq${'abcdefghijklmnopqrst'[at]}xv`);
  const { unknownWords } = await select(`${'q'.repeat(60)} ${words.join(' ')}`);
  expect(unknownWords).toEqual(words.slice(0, 8));
});
