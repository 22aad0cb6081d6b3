import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openHttpPool } from '@winnow/service';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSelectorClient,
  type SearchableTools,
  type SelectorClient,
  type SelectorClientOptions,
  SelectorHealth,
} from '../../src/index.ts';

interface AskedSelector {
  readonly bodies: Record<string, unknown>[];
  readonly requests: IncomingMessage[];
  readonly search: SelectorClient;
}

type Respond = (body: Record<string, unknown>, outgoing: ServerResponse) => void;

const SELECTED = JSON.stringify({ selected_names: ['a'] });

async function startSelector(
  respond: Respond,
  options: Partial<SelectorClientOptions> = {},
): Promise<AskedSelector> {
  const bodies: Record<string, unknown>[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
    requests.push(incoming);
    bodies.push(body);
    respond(body, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = openHttpPool({});
  onTestFinished(async () => {
    await agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const search = createSelectorClient(
    {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/search?v=1`,
      apiKey: '',
      timeoutMs: 1,
      redact: { descriptions: [], sendDefinition: 'full' },
      ...options,
    },
    {
      agent,
      health: new SelectorHealth({ failures: 5, openMs: 1, now: () => 0 }),
      deadline: () => new AbortController().signal,
    },
  );
  return { bodies, requests, search };
}

const searchable: SearchableTools = {
  id: 'catalogue-1',
  tools: [
    {
      name: 'a',
      description: 'Secret plans.',
      definition: { input_schema: { properties: { path: { description: 'where' } } } },
    },
    { name: 'b', description: 'Open.', definition: {} },
  ],
};
const QUESTION = {
  queries: ['plans'],
  searchable,
  limit: 3,
  alwaysKeep: ['k'],
  headers: { 'x-request-id': 'exchange-1' },
};
const ask = (search: SelectorClient, query = 'plans', signal = new AbortController().signal) =>
  search({ ...QUESTION, queries: [query], signal });

describe('createSelectorClient', () => {
  it('does not count tools that nest too deeply against the selector', async () => {
    const { search, bodies } = await startSelector((_, outgoing) => outgoing.end(SELECTED));
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as Record<string, unknown>;
    const tools = [{ name: 'a', description: '', definition: deep }];
    for (let count = 0; count < 5; count++) {
      const { signal } = new AbortController();
      const outcome = await search({ ...QUESTION, searchable: { id: 'deep', tools }, signal });
      expect(outcome).toEqual({ ok: false, reason: 'api_error' });
    }
    expect(bodies).toEqual([]);
    expect(await ask(search)).toEqual({ ok: true, names: ['a'], isNoMatch: false, status: 200 });
  });

  it('passes the id of the request on', async () => {
    const { search, requests } = await startSelector((_, outgoing) => outgoing.end(SELECTED));
    await ask(search);
    expect(requests[0]?.headers['x-request-id']).toBe('exchange-1');
  });

  it('sends the query, the limits and each tool', async () => {
    const { search, bodies, requests } = await startSelector((_, outgoing) => outgoing.end(SELECTED));
    expect(await ask(search)).toEqual({ ok: true, names: ['a'], isNoMatch: false, status: 200 });
    expect(bodies).toEqual([
      {
        pattern: 'plans',
        top_k: 3,
        include: ['scores'],
        always_keep: ['k'],
        catalog_id: expect.any(String),
        tools: searchable.tools,
      },
    ]);
    expect(requests[0]!.url).toBe('/search?v=1');
    expect(requests[0]!.headers.authorization).toBeUndefined();
  });

  it('sends several queries as patterns, and as one for selectors that do not know these', async () => {
    const { search, bodies } = await startSelector((_, outgoing) => outgoing.end(SELECTED));
    await search({ ...QUESTION, queries: ['plans', 'rockets'], signal: new AbortController().signal });
    expect(bodies).toMatchObject([{ pattern: 'plans. rockets', patterns: ['plans', 'rockets'] }]);
  });

  it('sends a bearer token only if there is one', async () => {
    const { search, requests } = await startSelector((_, outgoing) => outgoing.end(SELECTED), {
      apiKey: 'key',
    });
    await ask(search);
    expect(requests[0]!.headers.authorization).toBe('Bearer key');
  });

  it('sends tools once, and again if the selector does not hold them', async () => {
    let isForgotten = false;
    const { search, bodies } = await startSelector((body, outgoing) => {
      const isUnknown = isForgotten && body.tools === undefined;
      if (isUnknown) outgoing.writeHead(404).end('{"error":{"code":"unknown_catalog","message":"gone"}}');
      else outgoing.end(SELECTED);
    });
    await ask(search);
    await ask(search, 'again');
    isForgotten = true;
    expect(await ask(search, 'third')).toMatchObject({ ok: true });
    expect(bodies.map(({ tools }) => tools !== undefined)).toEqual([true, false, false, true]);
    expect(new Set(bodies.map(({ catalog_id }) => catalog_id)).size).toBe(1);
  });

  it('withholds texts that must not be sent', async () => {
    const { search, bodies } = await startSelector((_, outgoing) => outgoing.end(SELECTED), {
      redact: { descriptions: ['a'], sendDefinition: 'full' },
    });
    await ask(search);
    expect(bodies[0]!.tools).toEqual([
      { name: 'a', definition: { parameters: { type: 'object', properties: { path: {} } } } },
      { name: 'b', description: 'Open.', definition: {} },
    ]);
  });

  it('names a catalogue after what is withheld of it, so that none is taken for another', async () => {
    const idWith = async (descriptions: string[], sendDefinition: 'full' | 'minimal') => {
      const { search, bodies } = await startSelector((_, outgoing) => outgoing.end(SELECTED), {
        redact: { descriptions, sendDefinition },
      });
      await ask(search);
      return bodies[0]!.catalog_id;
    };
    const ids = [await idWith([], 'full'), await idWith(['a'], 'full'), await idWith(['a'], 'minimal')];
    expect(new Set(ids).size).toBe(3);
    expect(await idWith(['a'], 'full')).toBe(ids[1]);
  });

  it('sends no request for a blank query', async () => {
    const { search, bodies } = await startSelector((_, outgoing) => outgoing.end(SELECTED));
    expect(await ask(search, ' \n')).toEqual({ ok: false, reason: 'empty_query' });
    expect(bodies).toEqual([]);
  });

  it('aborts when the client leaves, without counting it against the selector', async () => {
    const leaving = new AbortController();
    const { search, requests } = await startSelector(() => leaving.abort());
    expect(await ask(search, 'plans', leaving.signal)).toEqual({ ok: false, reason: 'client_gone' });
    expect(requests).toHaveLength(1);
    expect(await ask(search, 'plans', leaving.signal)).toEqual({ ok: false, reason: 'client_gone' });
    expect(requests).toHaveLength(1);
  });
});
