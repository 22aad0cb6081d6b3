import { describe, expect, it } from 'vitest';
import { KEY, startEmbeddingsEndpoint } from './embeddings-endpoint.ts';
import { post, start } from './start.ts';

const TOOLS = [
  { name: 'bank_holidays', description: 'Bank holidays of a bank.' },
  { name: 'bank_of_river', description: 'The bank of a river.' },
  { name: 'bank_transfer', description: 'Makes a transfer at any bank in the country.' },
];
const PATTERN = 'pay at the bank';
const include = ['scores', 'metadata'];

type Metadata = Record<string, unknown>;

async function startWithEndpoint() {
  const endpoint = await startEmbeddingsEndpoint();
  // A clock that a test moves: the breaker looks at it, budgets are waited for by Node's own.
  let passedMs = 0;
  const selector = await start(
    { embedder: endpoint.address, embedderKey: KEY },
    { now: () => performance.now() + passedMs },
  );
  const search = async (pattern = PATTERN, more: object = {}) => {
    const { status, body } = await post(selector.searchUrl, { pattern, tools: TOOLS, include, ...more });
    expect(status).toBe(200);
    return body as { selected_names: string[]; search_metadata: Metadata; explanations?: Metadata[] };
  };
  /** Until what comes behind a search is there. */
  const searchUntilWhole = async (pattern?: string, more?: object) => {
    for (;;) {
      const response = await search(pattern, more);
      if (response.search_metadata.degraded === undefined) return response;
    }
  };
  const events = () =>
    selector.logs().flatMap(({ event }) => (/^meaning/.test(String(event)) ? [event] : []));
  const metrics = async () => (await fetch(`${selector.url}/metrics`)).text();
  return {
    endpoint,
    selector,
    search,
    searchUntilWhole,
    events,
    metrics,
    pass(ms: number) {
      passedMs += ms;
    },
  };
}

const BY_WORDS = ['bank_holidays', 'bank_transfer', 'bank_of_river'];
const BY_MEANING = ['bank_transfer', 'bank_holidays', 'bank_of_river'];

describe('with an endpoint', () => {
  it('orders by words and meaning, and reports the share of meaning', async () => {
    const { endpoint, searchUntilWhole, search } = await startWithEndpoint();
    const meant = await searchUntilWhole(PATTERN, { explain: ['bank_transfer', 'bank_holidays'] });
    expect(meant.selected_names[0]).toBe('bank_transfer');
    expect(meant.explanations!.map(({ name, rank, meaning }) => [name, rank, meaning])).toEqual([
      ['bank_transfer', 1, 0.8],
      ['bank_holidays', expect.any(Number), -0.4],
    ]);
    const before = endpoint.asked.length;
    await search();
    expect(endpoint.asked.length).toBe(before);
    expect(new Set(endpoint.asked)).toEqual(
      new Set([
        PATTERN,
        'bank holidays: Bank holidays of a bank.',
        'bank of river: The bank of a river.',
        'bank transfer: Makes a transfer at any bank in the country.',
      ]),
    );
  });

  it('leaves exact names, globs, expressions and keyword searches alone', async () => {
    const { endpoint, search } = await startWithEndpoint();
    for (const [pattern, more] of [
      [PATTERN, { search_type: 'keyword' }],
      ['bank_*', {}],
      ['^bank_(of|tr)', {}],
      ['select:bank_of_river', {}],
    ] as const) {
      const { search_metadata: metadata } = await search(pattern, more);
      expect(metadata).not.toHaveProperty('degraded');
      expect(endpoint.asked).not.toContain(pattern);
    }
    const { selected_names: names } = await search('pay with bank_of_river');
    expect(names[0]).toBe('bank_of_river');
  });

  it.each(['error', 'lie', 'short'] as const)(
    'goes by keywords when the endpoint answers with %s: says so once, and comes back',
    async (behaviour) => {
      const { endpoint, search, searchUntilWhole, events, metrics, pass } = await startWithEndpoint();
      endpoint.behave(behaviour);
      for (let time = 0; time < 6; time++) {
        const { selected_names: names, search_metadata: metadata } = await search();
        expect([names, metadata.degraded, metadata.degraded_reason]).toEqual([BY_WORDS, true, 'failed']);
      }
      expect(events()).toEqual(['meaning_fails']);
      expect(await metrics()).toMatch(/^winnow_embedder_failing{service="selector"} 1$/m);
      endpoint.behave('well');
      pass(5_000);
      expect((await searchUntilWhole()).selected_names).toEqual(BY_MEANING);
      expect(events()).toEqual(['meaning_fails', 'meaning_works']);
      expect(await metrics()).toMatch(/^winnow_embedder_failing{service="selector"} 0$/m);
    },
  );
});

it('responds in time when the endpoint hangs or is missing', async () => {
  const endpoint = await startEmbeddingsEndpoint();
  endpoint.behave('hang');
  for (const [embedder, reason] of [
    [endpoint.address, 'deadline'],
    ['http://127.0.0.1:9#none', expect.stringMatching(/^(failed|deadline)$/)],
  ] as const) {
    const { searchUrl } = await start({ embedder, embedderKey: KEY });
    const { status, body } = await post(searchUrl, { pattern: PATTERN, tools: TOOLS, include });
    expect([status, body.selected_names]).toEqual([200, BY_WORDS]);
    expect(body.search_metadata).toMatchObject({ degraded: true, degraded_reason: reason });
  }
});

it('says nothing of meaning without an embedder', async () => {
  const { searchUrl } = await start();
  const { body } = await post(searchUrl, {
    pattern: PATTERN,
    tools: TOOLS,
    include,
    explain: ['bank_transfer'],
  });
  expect(body.selected_names).toEqual(BY_WORDS);
  expect(body.search_metadata).not.toHaveProperty('degraded');
  expect((body.explanations as Metadata[])[0]).not.toHaveProperty('meaning');
});

it('does not start with a missing local model, and names the setting', async () => {
  await expect(start({ embedder: 'onnx:/nowhere' })).rejects.toThrow(
    'embedder.address: /nowhere has no file model.onnx',
  );
});
