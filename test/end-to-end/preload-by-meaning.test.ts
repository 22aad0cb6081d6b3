import { DEFAULT_SETTINGS, startSelector } from '@winnow/selector';
import { answer, EMBEDDINGS_KEY, say, startEmbeddingsEndpoint, startRedis } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RawRequest, send } from './raw-client.ts';
import { recordsOf, type StackOptions, startStack } from './start-stack.ts';

/** Words alone find only weak matches for the request, so that nothing is preloaded. */
const REQUEST = 'pay at the bank';
const DESCRIPTIONS = {
  bank_holidays: 'Bank holidays of a bank.',
  bank_of_river: 'The bank of a river.',
  bank_transfer: 'Makes a transfer at any bank in the country.',
};
const BY_MEANING = ['bank_transfer', 'bank_holidays', 'bank_of_river'];
const BY_WORDS: readonly string[] = [];
const toolOf = ([name, description]: [string, string]) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
});
const TOOLS = Object.entries(DESCRIPTIONS).map(toolOf);
const user = (content: string) => ({ role: 'user', content });
/** The request, and what follows it. */
const turns = (count: number, request = REQUEST) => [
  user(request),
  ...Array.from({ length: count - 1 }, (_, turn) => [
    { role: 'assistant', content: 'Done.' },
    user(`And then? ${turn}`),
  ]).flat(),
];

interface Scene extends Pick<StackOptions, 'effects' | 'proxies' | 'selectorUrl'> {
  readonly settings?: Readonly<Record<string, string>>;
}

/** Proxies with an embedder, which has learned the tools unless it is not to. */
async function open({ settings, ...more }: Scene = {}, isLearned = true) {
  const endpoint = await startEmbeddingsEndpoint();
  onTestFinished(() => endpoint.close());
  const stack = await startStack({
    ...more,
    settings: {
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '6',
      PROXY_PIPES_TOOL_DISCOVERY_LOAD_MODE: 'swap',
      PROXY_EMBEDDER_ADDRESS: endpoint.address,
      PROXY_EMBEDDER_API_KEY: EMBEDDINGS_KEY,
      PROXY_EMBEDDER_BUDGET: '20s',
      ...settings,
    },
    model: () => answer([say('Done.')]),
  });
  let count = 0;
  /** Returns the preloaded tools of a request, in their order, and its record. */
  const ask = async (
    messages: readonly object[],
    { tools = TOOLS, ...request }: Partial<RawRequest> & { tools?: readonly object[] } = {},
  ) => {
    const place = count++;
    const asked = { format: 'openai' as const, url: stack.proxyUrl, ...request };
    const response = await send({ ...asked, more: { messages, tools } });
    expect(response.status).toBe(200);
    await response.text();
    await recordsOf(stack, place + 1);
    const sent = stack.upstream.requests[place]!.json as {
      tools: { function: { name: string } }[];
    };
    const names = sent.tools.map((tool) => tool.function.name);
    return { names: names.filter((name) => name in DESCRIPTIONS), record: stack.records[place]!, sent };
  };
  /** Asks in new conversations until the choice is by meaning. */
  const learn = async (url = stack.proxyUrl) => {
    for (let number = 0; ; number++) {
      const { record } = await ask([user(`${REQUEST}, ${url} ${number}`)], { url });
      if (record.preloadedBy === 'meaning') return;
    }
  };
  if (isLearned) for (const url of stack.proxyUrls) await learn(url);
  return { ask, endpoint, stack, learn };
}

describe('the tools that a conversation shows from its start', () => {
  test('are chosen by meaning, and stay whatever the embedder does later', async () => {
    const { ask, endpoint } = await open();
    const first = await ask(turns(1));
    expect([first.names, first.record.preloadedBy]).toEqual([BY_MEANING, 'meaning']);
    for (const behaviour of ['error', 'hang', 'well'] as const) {
      endpoint.behave(behaviour);
      const asked = endpoint.asked.length;
      const later = await ask(turns(3));
      expect([later.names, later.record.preloadedBy]).toEqual([BY_MEANING, 'meaning']);
      expect(endpoint.asked.length).toBe(asked);
    }
  });

  test.each(['error', 'hang', 'lie'] as const)(
    'are chosen by words if the embedder answers with %s, and stay when it is back',
    async (behaviour) => {
      const { ask, endpoint } = await open({ settings: { PROXY_EMBEDDER_BUDGET: '300ms' } });
      endpoint.behave(behaviour);
      const first = await ask(turns(1));
      expect([first.names, first.record.preloadedBy]).toEqual([BY_WORDS, 'words']);
      endpoint.behave('well');
      // The embedder knows the request by now.
      for (const messages of [turns(1), turns(2), turns(3)]) {
        const { names, record } = await ask(messages);
        expect([names, record.preloadedBy]).toEqual([BY_WORDS, 'words']);
      }
    },
  );

  test('are chosen by words as long as tools have no vectors', async () => {
    const { ask, learn } = await open({}, false);
    expect((await ask(turns(1))).record.preloadedBy).toBe('words');
    await learn();
    expect((await ask(turns(2))).names).toEqual(BY_WORDS);
    expect((await ask(turns(1, `${REQUEST}!`))).names).toEqual(BY_MEANING);
  });

  test('stay when the client adds tools later; a new conversation chooses from all', async () => {
    const { ask } = await open();
    const names = { ...DESCRIPTIONS, bank_payment: 'Pays cash at a bank in the country.' };
    const tools = Object.entries(names).map(toolOf);
    expect((await ask(turns(1))).names).toEqual(BY_MEANING);
    const later = await ask(turns(2), { tools });
    expect(later.names).toEqual(BY_MEANING);
    expect(JSON.stringify(later.sent.tools)).not.toContain('bank_payment');
    // Its tools have no vectors yet.
    expect((await ask(turns(1), { tools })).record.preloadedBy).toBe('words');
    // The first one still has its own.
    expect((await ask(turns(2))).names).toEqual(BY_MEANING);
  });

  test('follow the words without a credential, as no store tells its conversations apart', async () => {
    const { ask, endpoint } = await open({ settings: { PROXY_UPSTREAMS_OPENAI_API_KEY: 'operator' } });
    const asked = endpoint.asked.length;
    for (const messages of [turns(1, `${REQUEST}?`), turns(2, `${REQUEST}?`)]) {
      const { names, record } = await ask(messages, { headers: { authorization: '' } });
      expect([names, record.preloadedBy]).toEqual([BY_WORDS, 'words']);
    }
    expect(endpoint.asked.length).toBe(asked);
  });

  test('are those of another credential never', async () => {
    const { ask, endpoint } = await open();
    expect((await ask(turns(1))).names).toEqual(BY_MEANING);
    endpoint.behave('error');
    const other = { headers: { authorization: 'Bearer other' } };
    expect((await ask(turns(2), other)).names).toEqual(BY_WORDS);
  });

  test('grow with nothing but the end of the prompt', async () => {
    const { ask, endpoint } = await open({ settings: { PROXY_UPSTREAMS_OPENAI_LOAD: 'bridge' } });
    const sent: { tools: unknown; messages: unknown[] }[] = [];
    for (const count of [1, 2, 3]) {
      if (count === 3) endpoint.behave('error');
      sent.push((await ask(turns(count))).sent as never);
    }
    expect(JSON.stringify(sent[0]!.messages)).toContain('bank_transfer');
    for (const [at, earlier] of sent.slice(0, -1).entries()) {
      const later = sent[at + 1]!;
      expect(later.tools).toEqual(earlier.tools);
      expect(later.messages.slice(0, earlier.messages.length)).toEqual(earlier.messages);
    }
  });
});

describe('where the choice cannot be stored, words decide in every turn', () => {
  const broken = (fails: (what: 'read' | 'add') => boolean) => {
    const notes = new Map<string, string>();
    const orFail = (what: 'read' | 'add') => {
      if (fails(what)) throw new Error('away');
    };
    return {
      isShared: true,
      sweep() {},
      read: async (_: string, keys: readonly string[]) => {
        orFail('read');
        return new Map(keys.flatMap((key) => (notes.has(key) ? [[key, notes.get(key)!] as const] : [])));
      },
      // A write without a reply may have happened.
      add: async (
        _: object,
        added: readonly { key: string; value: string; ifTaken: 'keep' | 'forget' | 'replace' }[],
      ) => {
        for (const { key, value, ifTaken } of added) {
          if (ifTaken === 'replace' || !notes.has(key)) notes.set(key, value);
        }
        orFail('add');
      },
    };
  };

  test.each<[string, (what: 'read' | 'add') => boolean]>([
    ['read or written', () => true],
    ['read', (what) => what === 'read'],
    ['written for sure', (what) => what === 'add'],
  ])('as it cannot be %s', async (_, fails) => {
    let isAway = false;
    const { ask } = await open({ effects: { sessions: broken((what) => isAway && fails(what)) } });
    isAway = true;
    const first = await ask(turns(1));
    expect([first.names, first.record.preloadedBy]).toEqual([BY_WORDS, 'words']);
    expect(first.record.sessionErrors).toBeGreaterThan(0);
    expect((await ask(turns(2))).names).toEqual(BY_WORDS);
    isAway = false;
    expect((await ask(turns(3))).names).toEqual(BY_WORDS);
  });
});

test('two proxies on one Redis show the same', { tags: ['redis'] }, async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const { ask, endpoint, stack } = await open({
    proxies: 2,
    settings: {
      PROXY_SESSIONS_STORE: 'redis',
      PROXY_SESSIONS_SECRET: 'the-same-for-both',
      PROXY_REDIS_URL: redis.url,
      PROXY_REDIS_TIMEOUT: '10s',
    },
  });
  const [one, other] = stack.proxyUrls as [string, string];
  expect((await ask(turns(1), { url: one })).names).toEqual(BY_MEANING);
  endpoint.behave('error');
  for (const url of [other, one]) expect((await ask(turns(2), { url })).names).toEqual(BY_MEANING);
  const asked = endpoint.asked.length;
  expect((await ask(turns(1), { url: other })).names).toEqual(BY_MEANING);
  expect(endpoint.asked.length).toBe(asked);
  for (let time = 0; time < 5; time++) {
    // One proxy knows the vector of the request, the other one cannot get it: alone, they would choose differently.
    const messages = turns(1, `${REQUEST} ${time}`);
    endpoint.behave('well');
    expect((await ask(messages, { url: one, headers: { authorization: 'Bearer other' } })).names).toEqual(
      BY_MEANING,
    );
    endpoint.behave('error');
    const both = await Promise.all([one, other].map((url) => ask(messages, { url })));
    expect(both[0]!.names).toEqual(both[1]!.names);
    for (const url of [one, other])
      expect((await ask([...messages, ...turns(2).slice(1)], { url })).names).toEqual(both[0]!.names);
  }
});

describe('with the strategy api, the selector is asked', () => {
  async function startSelectorWith(embedder: string) {
    const selector = await startSelector(
      {
        ...DEFAULT_SETTINGS,
        ...{ port: 0, drainTimeoutMs: 0, buildWorkers: 0 },
        ...{ embedder, embedderKey: embedder && EMBEDDINGS_KEY, embedderBudgetMs: 3_600_000 },
      },
      {
        now: () => performance.now(),
        wallClock: () => Date.now(),
        makeId: () => 'test',
        writeLog: () => {},
      },
    );
    onTestFinished(async () => {
      await selector.close();
    });
    return `${selector.url}/v1/tool-discovery/search`;
  }
  const settings = {
    PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'api',
    PROXY_EMBEDDER_ADDRESS: '',
    PROXY_EMBEDDER_API_KEY: '',
  };

  test('if it has an embedder', async () => {
    const endpoint = await startEmbeddingsEndpoint();
    onTestFinished(() => endpoint.close());
    const { ask } = await open({ settings, selectorUrl: await startSelectorWith(endpoint.address) });
    expect((await ask(turns(1))).names).toEqual(BY_MEANING);
    endpoint.behave('error');
    expect((await ask(turns(2))).names).toEqual(BY_MEANING);
  });

  test('no longer than the budget', async () => {
    const endpoint = await startEmbeddingsEndpoint();
    onTestFinished(() => endpoint.close());
    const { ask } = await open({
      selectorUrl: await startSelectorWith(endpoint.address),
      settings: { ...settings, PROXY_EMBEDDER_BUDGET: '300ms', PROXY_TOOLS_API_TIMEOUT: '1h' },
    });
    // The selector itself would wait for an hour.
    endpoint.behave('hang');
    const { names, record } = await ask(turns(1));
    expect([names, record.preloadedBy]).toEqual([BY_WORDS, 'words']);
  });

  test('not if it has none', async () => {
    const { ask } = await open({ settings, selectorUrl: await startSelectorWith('') }, false);
    for (const count of [1, 2]) {
      const { names, record } = await ask(turns(count));
      expect([names, record.preloadedBy, record.sessionErrors]).toEqual([BY_WORDS, undefined, 0]);
    }
  });
});
