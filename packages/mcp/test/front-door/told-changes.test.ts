import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openHttpDoor, openStdioDoor } from '../../src/index.ts';
import type { Offer } from '../../src/servers/read-list.ts';
import { makeFrontDoor } from './make-front-door.ts';

/** Clients that hear of changed lists and resources. */

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const NOTE: Offer = { kind: 'resource', key: 'note://1', definition: { uri: 'note://1', name: 'note' } };
const GREET: Offer = { kind: 'prompt', key: 'greet', definition: { name: 'greet' } };
const URI = 'winnow://a/note://1';

const listen = (notifications: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'subscriptions/listen',
  params: { _meta: META, notifications },
});
const EVERYTHING = {
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: [URI, 'winnow://a/refused://1', 'unknown://1', 5],
};

async function frontDoor() {
  const made = await makeFrontDoor([]);
  made.servers.known = [
    { name: 'a', namespace: 'a', prefix: undefined, status: 'up', trustsAnnotations: false, tools: 0 },
  ];
  made.servers.changeOffers('a', [NOTE]);
  return made;
}

async function httpDoor() {
  const { door, servers } = await frontDoor();
  const http = await openHttpDoor({
    ...{ door, identity: { name: 'd', version: '1' }, makeId: () => 's', maxSubscriptions: 2 },
    onDefect: (error) => {
      throw error;
    },
  });
  onTestFinished(() => http.close());
  const leaving = new AbortController();
  const post = (body: { readonly method: string }, revision = '2026-07-28') => {
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': revision, 'mcp-method': body.method },
    };
    return http.handle({ headers, body, signal: leaving.signal });
  };
  return { http, servers, leaving, post };
}

/** The messages of a stream, one by one. */
async function* messagesOf(response: Response) {
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    const events = text.split('\n\n');
    text = events.pop()!;
    for (const event of events) yield JSON.parse(/^data: (.*)$/m.exec(event)![1]!);
  }
}

test('R85: over HTTP, listeners are notified of the lists and resources that they asked for, until they leave', async () => {
  const { http, servers, leaving, post } = await httpDoor();
  const messages = messagesOf(await post(listen(EVERYTHING)));
  const next = async () => {
    const { method, params } = (await messages.next()).value;
    const { _meta, ...rest } = params;
    return [method, rest];
  };
  expect(await next()).toEqual([
    'notifications/subscriptions/acknowledged',
    {
      notifications: {
        promptsListChanged: true,
        resourcesListChanged: true,
        // What cannot be subscribed to is not acknowledged.
        resourceSubscriptions: [URI],
      },
    },
  ]);
  servers.changeOffers('a', [GREET]);
  expect(await next()).toEqual(['notifications/prompts/list_changed', {}]);
  servers.changeOffers('a', [NOTE]);
  expect(await next()).toEqual(['notifications/resources/list_changed', {}]);
  const { onUpdated, signal } = servers.subscribed.get('note://1')!;
  onUpdated();
  expect(await next()).toEqual(['notifications/resources/updated', { uri: URI }]);
  expect(http.subscribedResources).toBe(1);
  leaving.abort();
  expect(signal.aborted).toBe(true);
  expect(http.subscribedResources).toBe(0);
});

test('R85: a listener that is refused is subscribed to nothing', async () => {
  const { http, post } = await httpDoor();
  await post(listen({ promptsListChanged: true }));
  await post(listen({ promptsListChanged: true }));
  const refused = await post(listen({ resourceSubscriptions: [URI] }));
  expect(await refused.json()).toMatchObject({ error: { code: -32603 } });
  expect(http.subscribedResources).toBe(0);
});

test('R85: however many resources a client names at once, a server is asked for a few at a time', async () => {
  const { http, servers, post, leaving } = await httpDoor();
  let asked = 0;
  const answers: (() => void)[] = [];
  servers.subscribe = async () => {
    asked++;
    await new Promise<void>((resolve) => answers.push(resolve));
  };
  const uris = Array.from({ length: 30 }, (_, number) => `winnow://a/note://${number}`);
  const listening = post(listen({ resourceSubscriptions: uris }));
  await vi.waitFor(() => expect(asked).toBe(8));
  for (const answer of answers.splice(0, 2)) answer();
  await vi.waitFor(() => expect(asked).toBe(10));
  const answering = setInterval(() => {
    for (const answer of answers.splice(0)) answer();
  });
  onTestFinished(() => clearInterval(answering));
  const { value } = await messagesOf(await listening).next();
  expect(value.params.notifications.resourceSubscriptions).toHaveLength(30);
  expect(http.subscribedResources).toBe(30);
  leaving.abort();
  expect(http.subscribedResources).toBe(0);
});

test('R85: a door that closes while a server is asked for a subscription opens no stream', async () => {
  const { http, servers, post } = await httpDoor();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  servers.subscribe = () => answered;
  const listening = post(listen({ promptsListChanged: true, resourceSubscriptions: [URI] }));
  await vi.waitFor(() => expect(http.subscribedResources).toBe(1));
  await http.close();
  answer();
  expect((await listening).status).toBe(503);
  expect([http.subscriptions, http.subscribedResources]).toEqual([0, 0]);
});

test('R85: a resource that several listen to is asked of its server once, and as long as one does', async () => {
  const { http, servers, post } = await httpDoor();
  const first = await post(listen({ resourceSubscriptions: [URI] }));
  await post(listen({ resourceSubscriptions: [URI, URI] }));
  expect(http.subscribedResources).toBe(1);
  expect(servers.subscribed.size).toBe(1);
  await first.body!.cancel();
  expect(servers.subscribed.get('note://1')!.signal.aborted).toBe(false);
});

test('R82: an older client over HTTP gets an error that says what is not relayed', async () => {
  const { post } = await httpDoor();
  const request = (method: string, params: object) =>
    post({ jsonrpc: '2.0', id: 1, method, params } as never, '2025-11-25');
  for (const [method, params] of [
    ['resources/subscribe', { uri: URI }],
    ['logging/setLevel', { level: 'info' }],
  ] as const) {
    const { value: answer } = await messagesOf(await request(method, params)).next();
    expect(answer).toMatchObject({
      error: { code: -32601, message: expect.stringContaining(`${method} is not relayed: `) },
    });
  }
});

test.each(['listen', 'subscribe'] as const)(
  'R85: over stdio, a client is notified of updates by %s',
  async (way) => {
    const { door, servers } = await frontDoor();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const stdio = await openStdioDoor({
      ...{ door, identity: { name: 'd', version: '1' }, input, output, onClosed: () => {} },
      onDefect: (error) => {
        throw error;
      },
    });
    onTestFinished(() => stdio.close());
    const lines = createInterface(output)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value!);
    const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (way === 'listen') {
      send(listen(EVERYTHING));
      expect(await next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    } else {
      const clientInfo = { name: 'test', version: '1' };
      send({
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
      });
      expect((await next()).result.capabilities.resources).toEqual({ listChanged: true, subscribe: true });
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'resources/subscribe', params: { uri: 'unknown://1' } });
      expect(await next()).toMatchObject({ id: 2, error: { code: -32602 } });
      send({ id: 3, method: 'resources/subscribe', params: { uri: URI } });
      expect(await next()).toMatchObject({ id: 3, result: {} });
    }
    const { onUpdated, signal } = servers.subscribed.get('note://1')!;
    onUpdated();
    expect(await next()).toMatchObject({ method: 'notifications/resources/updated', params: { uri: URI } });
    servers.changeOffers('a', [GREET]);
    expect(await next()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    if (way === 'listen') send({ method: 'notifications/cancelled', params: { requestId: 7 } });
    else send({ id: 4, method: 'resources/unsubscribe', params: { uri: URI } });
    await expect.poll(() => signal.aborted).toBe(true);
  },
);
