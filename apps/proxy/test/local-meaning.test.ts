import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Embedder, EmbeddingError, type MeaningState, Meanings } from '@winnow/embeddings';
import { buildCatalogue, noPause } from '@winnow/ranking';
import { SILENT_SPAN } from '@winnow/service';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { catalogueTexts, localSearch } from '../src/search/local.ts';
import { openLocalMeaning } from '../src/search/open-local-meaning.ts';
import type { SearchableTools } from '../src/search/search.ts';
import { describeSearch } from './search-contract.ts';

type Embed = Embedder['embed'];

/** Texts about money point one way, and all others another. */
const embedWell: Embed = async (texts) => texts.map((text) => (/pay|transfer/i.test(text) ? [1, 0] : [0, 1]));
const hang: Embed = (_texts, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new EmbeddingError('slow'))));
const die: Embed = async () => {
  throw new EmbeddingError('unreachable');
};
const lie: Embed = async (texts) => texts.map(() => [1, 'two', null]);

/** Meanings that learn texts in the background, forever if the embedder fails. */
const learning: Meanings[] = [];

afterEach(async () => {
  await Promise.all(learning.splice(0).map((meanings) => meanings.close()));
});

/** A search by an embedder whose waits end when the test says so, or at once. */
function open(embed: Embed, { endsWaits = true, secretDescriptions = [] as string[] } = {}) {
  const asked: string[] = [];
  const states: MeaningState[] = [];
  let waiting = () => {};
  const meanings = new Meanings({
    embedder: {
      batchSize: 8,
      embed: (texts, call) => {
        asked.push(...texts);
        return embed(texts, call);
      },
      close: async () => {},
    },
    maxBytes: 2 ** 20,
    budgetMs: 50,
    now: () => 0,
    deadline: () => new AbortController().signal,
    wait: (_ms, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        waiting();
        if (endsWaits) setImmediate(resolve);
      }),
    pause: async () => {},
    onChange: (state) => states.push(state),
  });
  learning.push(meanings);
  const search = localSearch({
    pause: async () => waiting(),
    meaning: { meanings, secretDescriptions },
  });
  const ask = (query: string, signal = new AbortController().signal, searchable = SEARCHABLE) =>
    search({ queries: [query], searchable, limit: 3, requestId: 'exchange-1', span: SILENT_SPAN, signal });
  return {
    search,
    ask,
    asked,
    states,
    onWaiting(callback: () => void) {
      waiting = callback;
    },
  };
}

const SEARCHABLE: SearchableTools = {
  id: 'bank',
  tools: [
    { name: 'bank_holidays', description: 'Bank holidays of a bank.', definition: {} },
    { name: 'bank_of_river', description: 'The bank of a river.', definition: {} },
    { name: 'bank_transfer', description: 'Makes a transfer at any bank in the country.', definition: {} },
  ],
};
const BY_WORDS = ['bank_holidays', 'bank_transfer', 'bank_of_river'];
const BY_MEANING = ['bank_transfer', 'bank_holidays', 'bank_of_river'];

describeSearch('the local search by meaning', () => {
  const { search, asked, onWaiting } = open(embedWell);
  return { search, asked: () => asked.length, onWaiting };
});

describeSearch('the local search by an embedder that hangs', () => {
  const { search, asked, onWaiting } = open(hang);
  return { search, asked: () => asked.length, onWaiting };
});

describe('the local search by meaning', () => {
  it('ranks by words and meaning', async () => {
    const { ask } = open(embedWell);
    expect(await ask('pay at the bank')).toEqual({
      ok: true,
      names: BY_MEANING,
      scores: [1, expect.any(Number), expect.any(Number)],
      isNoMatch: false,
    });
  });

  it('keeps exact names in front, and requests no vectors for a name, a glob or an expression', async () => {
    const { ask } = open(embedWell);
    expect(await ask('pay with bank_of_river')).toMatchObject({
      names: ['bank_of_river', 'bank_transfer', 'bank_holidays'],
    });
    for (const pattern of ['select:bank_of_river', 'bank_*', '^bank_(of|tr)']) {
      const under = open(embedWell);
      expect(await under.ask(pattern)).not.toHaveProperty('meaning');
      expect(under.asked).not.toContain(pattern);
    }
  });

  it.each([
    ['is dead', die],
    ['hangs', hang],
    ['lies', lie],
  ])('falls back to words if the embedder %s, and reports it once', async (_, embed) => {
    const { ask, states } = open(embed);
    for (let time = 0; time < 8; time++)
      expect(await ask('pay at the bank')).toMatchObject({ ok: true, names: BY_WORDS });
    expect(states.length).toBe(1);
  });

  it('stops waiting when the client leaves', async () => {
    const { ask, onWaiting } = open(hang, { endsWaits: false });
    const client = new AbortController();
    onWaiting(() => client.abort());
    expect(await ask('pay at the bank', client.signal)).toEqual({ ok: false, reason: 'client_gone' });
  });

  it('withholds secret descriptions', async () => {
    const { ask, asked } = open(embedWell, { secretDescriptions: ['bank_of_river'] });
    await ask('pay at the bank');
    expect(asked).toContain('bank of river: ');
    expect(asked.join()).not.toContain('The bank of a river.');
    expect(asked).toContain('bank holidays: Bank holidays of a bank.');
  });

  it('reports nothing about meaning without an embedder', async () => {
    const search = localSearch({ pause: noPause });
    const signal = new AbortController().signal;
    const query = {
      queries: ['pay at the bank'],
      searchable: SEARCHABLE,
      limit: 3,
      requestId: '',
      span: SILENT_SPAN,
      signal,
    };
    const outcome = await search(query);
    expect(outcome).toMatchObject({ ok: true, names: BY_WORDS, isNoMatch: false });
    expect(outcome).not.toHaveProperty('meaning');
  });
});

it('texts of secret descriptions hold only the name of the tool', () => {
  const tool = { name: 'bank_of_river', description: 'The bank of a river.', definition: {} };
  const catalogue = buildCatalogue([tool]);
  expect(catalogueTexts(catalogue, () => false).textOf(0)).toBe('bank of river: The bank of a river.');
  expect(catalogueTexts(catalogue, (name) => name === tool.name).textOf(0)).toBe('bank of river: ');
});

it('pending texts do not hold their catalogue', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let catalogue: ReturnType<typeof buildCatalogue> | undefined = buildCatalogue([...SEARCHABLE.tools]);
  const texts = catalogueTexts(catalogue, () => false);
  expect(texts.textOf(1)).toBe('bank of river: The bank of a river.');
  catalogue = undefined;
  // A weak reference keeps its target until the job that read it is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect([texts.count, texts.textOf(1)]).toEqual([3, undefined]);
});

describe('meaning by the settings', () => {
  const EFFECTS = { now: () => 0, deadline: () => new AbortController().signal, onEmbedder: () => {} };
  const opened = (environment: Record<string, string>) => {
    const outcome = readConfig({
      environment: {
        PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
        PROXY_EMBEDDER_ADDRESS: 'http://127.0.0.1:9/v1#a-model',
        ...environment,
      },
    });
    if (!outcome.ok) throw new Error(outcome.problems.join(' '));
    return openLocalMeaning(outcome.config, EFFECTS);
  };

  it.each([
    [{}, true],
    [{ PROXY_EMBEDDER_ADDRESS: '' }, false],
    [{ PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'api' }, false],
    [{ PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'relevance' }, false],
    [{ PROXY_ROLLOUT_MODE: 'off' }, false],
    [{ PROXY_ROLLOUT_MODE: 'dark' }, true],
    [{ PROXY_ROLLOUT_MODE: 'shadow' }, true],
    [{ PROXY_ROLLOUT_MODE: 'partial' }, true],
    [{ PROXY_ROLLOUT_MODE: 'off', PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true' }, true],
  ])('is opened if %j searches', (environment, expected) => {
    expect(opened(environment as Record<string, string>) !== undefined).toBe(expected);
  });

  it('sends no secret description to an endpoint', () => {
    const environment = { PROXY_PIPES_TOOL_DISCOVERY_REDACT_DESCRIPTIONS: 'a,b' };
    expect(opened(environment)!.secretDescriptions).toEqual(['a', 'b']);
  });

  it('refuses to start without the model, even if nothing is searched', () => {
    for (const mode of ['full', 'off'])
      expect(() => opened({ PROXY_EMBEDDER_ADDRESS: 'onnx:/nowhere', PROXY_ROLLOUT_MODE: mode })).toThrow(
        'embedder.address: /nowhere has no file model.onnx',
      );
  });

  it('needs an endpoint for a key', () => {
    const environment = { PROXY_EMBEDDER_API_KEY: 'k' };
    expect(readConfig({ environment })).toMatchObject({
      ok: false,
      problems: ['embedder.address must be the address of an endpoint when embedder.api_key is set.'],
    });
    expect(readConfig({ environment: { PROXY_EMBEDDER_ADDRESS: 'no' } })).toMatchObject({ ok: false });
  });
});
