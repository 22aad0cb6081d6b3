import { answer, callTool, EMBEDDINGS_KEY, say, startEmbeddingsEndpoint } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const QUERY = 'pay at the bank';
const DESCRIPTIONS = {
  bank_holidays: 'Bank holidays of a bank.',
  bank_of_river: 'The bank of a river.',
  bank_transfer: 'Makes a transfer at any bank in the country.',
};
const TOOLS = Object.entries(DESCRIPTIONS).map(([name, description]) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
}));
/** Words alone find only weak matches, and none is loaded. */
const BY_WORDS: readonly string[] = [];
const BY_MEANING = ['bank_transfer', 'bank_holidays', 'bank_of_river'];

/**
 * A proxy that searches by itself with an embedder, and a clock that the test moves: only the breaker reads
 * it.
 */
async function open(settings: Record<string, string> = {}) {
  const endpoint = await startEmbeddingsEndpoint();
  onTestFinished(() => endpoint.close());
  let passedMs = 0;
  const stack = await startStack({
    settings: {
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '0',
      PROXY_EMBEDDER_ADDRESS: endpoint.address,
      PROXY_EMBEDDER_API_KEY: EMBEDDINGS_KEY,
      ...settings,
    },
    effects: { now: () => performance.now() + passedMs },
    model: (_, { text }) =>
      answer([
        text.includes('"role":"tool"') ? say('Done.') : callTool('gateway_search_tools', { query: QUERY }),
      ]),
  });
  let count = 0;
  const search = async (user = 'Do it.') => {
    const response = await send({
      format: 'openai',
      url: stack.proxyUrl,
      more: { tools: TOOLS },
      user,
      headers: { authorization: `Bearer client-${count}` },
    });
    expect(response.status).toBe(200);
    await response.text();
    await recordsOf(stack, ++count);
    return stack.records[count - 1]!.searches[0]!;
  };
  const searchUntilWhole = async (user?: string) => {
    for (;;) {
      const found = await search(user);
      if (found.names.length === BY_MEANING.length) return found;
    }
  };
  return {
    ...{ endpoint, stack, search, searchUntilWhole },
    pass(ms: number) {
      passedMs += ms;
    },
  };
}

const told = ({ events }: Stack) =>
  events.filter(({ event }) => /^meaning/.test(String(event))).map(({ time: _, ...line }) => line);
const metrics = async ({ proxyUrl }: Stack) => (await fetch(`${proxyUrl}/_winnow/metrics`)).text();

test('a search of the proxy orders by meaning; each text is embedded once for all clients', async () => {
  const { endpoint, stack, search, searchUntilWhole } = await open();
  expect((await searchUntilWhole()).names).toEqual(BY_MEANING);
  const asked = endpoint.asked.length;
  expect(await search()).toMatchObject({ names: BY_MEANING, outcome: 'found' });
  expect(endpoint.asked.length).toBe(asked);
  expect(new Set(endpoint.asked).size).toBe(asked);
  // The model reads them in that order.
  const { messages } = stack.upstream.requests.at(-1)!.json as { messages: { content: unknown }[] };
  const result = JSON.stringify(messages.at(-1)!.content);
  const places = BY_MEANING.map((name) => result.indexOf(name));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((left, right) => left - right));
  expect(JSON.stringify([stack.events, stack.records])).not.toContain(EMBEDDINGS_KEY);
});

test.each(['error', 'lie', 'short'] as const)(
  'goes by words when the embedder answers with %s, says it once, and comes back',
  async (behaviour) => {
    const { endpoint, stack, search, searchUntilWhole, pass } = await open();
    endpoint.behave(behaviour);
    for (let time = 0; time < 5; time++)
      expect(await search()).toMatchObject({ names: BY_WORDS, outcome: 'weak' });
    expect(told(stack)).toEqual([{ event: 'meaning_fails', reason: expect.any(String) }]);
    expect(await metrics(stack)).toMatch(/^winnow_embedder_failing{service="proxy"} 1$/m);
    endpoint.behave('well');
    pass(5_000);
    expect((await searchUntilWhole()).names).toEqual(BY_MEANING);
    expect(told(stack).map(({ event }) => event)).toEqual(['meaning_fails', 'meaning_works']);
    expect(await metrics(stack)).toMatch(/^winnow_embedder_failing{service="proxy"} 0$/m);
  },
);

test('answers in time when the embedder hangs', async () => {
  const { endpoint, search, stack } = await open();
  endpoint.behave('hang');
  for (let time = 0; time < 4; time++) expect(await search()).toMatchObject({ names: BY_WORDS });
  expect(told(stack)).toEqual([{ event: 'meaning_fails', reason: 'slow' }]);
});

test('reports why the embedder is unreachable', async () => {
  const { search, stack } = await open({ PROXY_EMBEDDER_ADDRESS: 'http://127.0.0.1:9#none' });
  expect(await search()).toMatchObject({ names: BY_WORDS });
  await expect
    .poll(() => told(stack))
    .toEqual([{ event: 'meaning_fails', reason: 'unreachable', cause: 'ECONNREFUSED' }]);
});

test('what is only observed is searched by meaning, too, and says what it lacks', async () => {
  const { endpoint, stack, search, searchUntilWhole } = await open({ PROXY_ROLLOUT_MODE: 'shadow' });
  endpoint.behave('error');
  expect(await search(QUERY)).toMatchObject({ names: BY_WORDS });
  expect(told(stack)).toEqual([{ event: 'meaning_fails', reason: 'unavailable' }]);
  expect(await metrics(stack)).toMatch(/^winnow_embedder_failing{service="proxy"} 1$/m);
  endpoint.behave('well');
  expect((await searchUntilWhole(QUERY)).names).toEqual(BY_MEANING);
});

test('knows nothing of meaning without an embedder', async () => {
  const { search, endpoint, stack } = await open({ PROXY_EMBEDDER_ADDRESS: '', PROXY_EMBEDDER_API_KEY: '' });
  expect((await search()).names).toEqual(BY_WORDS);
  expect([endpoint.asked, told(stack)]).toEqual([[], []]);
});
