import { Shares } from '@winnow/service';
import { startMcpServer } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FrontDoor, type HttpDoor, openHttpDoor } from '../../src/index.ts';
import { httpEntry, keepServers, untilStatus } from '../keep-servers.ts';

/** Calls through the front door, and the same ones made directly, message by message. */

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

type Era = 'legacy' | 'modern';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: Record<string, unknown>;
}

function toRequest(
  era: Era,
  params: Record<string, unknown>,
): { headers: Record<string, string>; body: unknown } {
  const { _meta, ...rest } = params;
  const meta = { ...(_meta as object), ...(era === 'modern' && META) };
  const revision: Record<string, string> =
    era === 'legacy'
      ? { 'mcp-protocol-version': '2025-11-25' }
      : { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': String(params.name) };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...rest, _meta: meta } };
  return { headers: { ...ACCEPT, ...revision }, body };
}

async function readMessages(response: Response): Promise<readonly Message[]> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.includes('event-stream')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
}

async function setUp(serverEra: Era) {
  const tools = ['echo', 'odd', 'ask', 'fail', 'error'].map((name) => ({
    name,
    inputSchema: { type: 'object' },
  }));
  const server = await startMcpServer({ era: serverEra, tools });
  onTestFinished(() => server.close());
  const kept = await keepServers([httpEntry('s', server.url)]);
  await untilStatus(kept, 's', 'up');
  const door: HttpDoor = await openHttpDoor({
    door: new FrontDoor({
      registry: kept.registry,
      servers: kept.servers,
      slots: new Shares(10, []).of({ tenant: 'default' }),
      now: () => 0,
      wallClock: () => Date.now(),
    }),
    identity: { name: 'front-door', version: '1' },
    makeId: () => 'session',
    maxSubscriptions: 1,
    onDefect: (error) => {
      throw error;
    },
  });
  const { signal } = new AbortController();
  return {
    server,
    door,
    kept,
    async direct(params: Record<string, unknown>) {
      const { headers, body } = toRequest(serverEra, params);
      return readMessages(await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) }));
    },
    async through(era: Era, name: string, args: object, more: Record<string, unknown> = {}) {
      const request = toRequest(era, { name: 'call_tool', arguments: { name, arguments: args }, ...more });
      return readMessages(await door.handle({ ...request, signal }));
    },
  };
}

/** The signature that each side adds to its messages. */
function unsigned({ result, ...message }: Message): Message {
  if (result === undefined) return message;
  const { resultType: _, _meta, ...rest } = result;
  const { 'io.modelcontextprotocol/serverInfo': __, ...meta } = (_meta ?? {}) as Record<string, unknown>;
  return { ...message, result: { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) } };
}

describe.each(['legacy', 'modern'] as const)('a server of the %s era', (serverEra) => {
  describe.each(['legacy', 'modern'] as const)('and a client of the %s era', (clientEra) => {
    test.each([
      ['echo', { a: [1, { b: null }], ключ: '💥' }],
      ['odd', {}],
      ['error', {}],
    ])('R63: the result of %s is what a direct call gives', async (name, args) => {
      const { direct, through } = await setUp(serverEra);
      const [expected] = await direct({ name, arguments: args });
      const unknown = { type: 'not_known_yet', value: 1 };
      if (name === 'odd') expect(expected!.result!.content).toContainEqual(unknown);
      expect((await through(clientEra, name, args)).map(unsigned)).toEqual([unsigned(expected!)]);
    });

    test("R63: a server's error of the protocol is what a direct call gives", async () => {
      const { direct, through } = await setUp(serverEra);
      expect(await through(clientEra, 'fail', {})).toEqual(await direct({ name: 'fail', arguments: {} }));
    });

    test('R63: progress comes in the same order, before the same result', async () => {
      const { direct, through } = await setUp(serverEra);
      const more = { _meta: { progressToken: 'mine' } };
      const expected = await direct({ name: 'echo', arguments: {}, ...more });
      expect(expected.map(({ method }) => method)).toEqual([
        'notifications/progress',
        'notifications/progress',
        undefined,
      ]);
      expect((await through(clientEra, 'echo', {}, more)).map(unsigned)).toEqual(expected.map(unsigned));
    });
  });

  test('R63: a call that the client takes back ends at the server', async () => {
    const { server, door, kept } = await setUp(serverEra);
    server.script.mood = 'hangs';
    const left = new AbortController();
    const request = toRequest('modern', { name: 'call_tool', arguments: { name: 'echo', arguments: {} } });
    const answering = door.handle({ ...request, signal: left.signal }).catch(() => {});
    await expect.poll(() => server.requests.some(({ method }) => method === 'tools/call')).toBe(true);
    left.abort();
    await answering;
    // In the newer era the connection of the call is all that there is to end.
    if (serverEra === 'legacy') {
      await expect
        .poll(() => server.requests.some(({ method }) => method === 'notifications/cancelled'))
        .toBe(true);
    }
    server.script.mood = 'well';
    expect(kept.servers.state('s')).toMatchObject({ status: 'up' });
  });
});

describe('a server that asks for something first', () => {
  test('R63: asks a modern client, and gets its answer with its own state', async () => {
    const { direct, through } = await setUp('modern');
    const [expected] = await direct({ name: 'ask', arguments: {} });
    const [first] = await through('modern', 'ask', {});
    const { requestState, ...asked } = first!.result!;
    const { requestState: own, ...wanted } = expected!.result!;
    expect(own).toBe('state-1');
    expect(requestState).not.toContain('state-1');
    expect(asked).toMatchObject(wanted);
    const inputResponses = { who: { action: 'accept', content: {} } };
    const [last] = await through('modern', 'ask', {}, { requestState, inputResponses });
    const [expectedLast] = await direct({ name: 'ask', arguments: {}, requestState: own, inputResponses });
    expect(unsigned(last!)).toEqual(unsigned(expectedLast!));
  });
});
