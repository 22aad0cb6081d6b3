import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  MCP_PROCESS,
  type McpMood,
  type ScriptedMcpServer,
  scriptedTool,
  startMcpServer,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { httpEntry, type Kept, keepServers, stdioEntry, until, untilStatus } from './keep-servers.ts';

/** Time for a list. A list that hangs is not waited for: its time is over when the test says so. */
const LIST_MS = 30_001;

async function start(parts: Parameters<typeof startMcpServer>[0] = {}): Promise<ScriptedMcpServer> {
  const server = await startMcpServer(parts);
  onTestFinished(() => server.close());
  return server;
}

/** Keeps a server that is well, lets it turn, and reads it again; gives what it is told to be then. */
async function turn(mood: McpMood, era: 'legacy' | 'modern') {
  const server = await start({ era, tools: [scriptedTool('good')] });
  const timeouts = { connectMs: 30_000, listMs: LIST_MS, callMs: 30_000 };
  const kept = await keepServers([httpEntry('web', server.url, { timeouts })]);
  await untilStatus(kept, 'web', 'up');
  server.script.mood = mood;
  const lists = () => server.requests.filter(({ method }) => method === 'tools/list').length;
  const before = lists();
  const refreshed = kept.servers.refresh('web').then(
    () => 'read',
    ({ code }) => code as string,
  );
  if (mood === 'hangs') {
    await until(() => lists() > before);
    kept.expire(LIST_MS);
  }
  const outcome = await refreshed;
  return { outcome, kept, state: kept.servers.state('web')! };
}

describe.each(['legacy', 'modern'] as const)('a server of the era %s that turns', (era) => {
  test.each<[McpMood, string]>([
    ['endless_pages', 'too_many_pages'],
    ['huge_list', 'list_too_large'],
    ['many_values', 'bad_answer'],
    ['dies', 'unreachable'],
    ['hangs', 'timed_out'],
    ['garbage', 'bad_answer'],
    ['no_list', 'bad_answer'],
    ['short_length', 'bad_answer'],
    ['long_length', 'unreachable'],
    ['unauthorized', 'unauthorized'],
  ])('R46: %s keeps its last list, and the reason is told', async (mood, code) => {
    const { outcome, kept, state } = await turn(mood, era);
    // What a broken connection is called differs with where it breaks.
    expect(
      ['unreachable', 'bad_answer', 'timed_out'].includes(code)
        ? ['unreachable', 'bad_answer', 'timed_out']
        : [code],
    ).toContain(outcome);
    expect(state).toMatchObject({
      status: 'down',
      tools: 1,
      staleSince: expect.any(Number),
      lastError: { code: outcome },
    });
    expect(await kept.ids()).toEqual(['web:good']);
  });

  test('R46: huge_description loses that tool alone', async () => {
    const { outcome, kept, state } = await turn('huge_description', era);
    expect(outcome).toBe('read');
    expect(await kept.ids()).toEqual(['web:good']);
    expect(state.leftOut).toEqual([{ tool: 'huge', reason: expect.stringContaining('larger than 256 KiB') }]);
  });

  test('R48: empty keeps its tools until it says so again', async () => {
    const { outcome, kept } = await turn('empty', era);
    expect(outcome).toBe('read');
    expect(await kept.ids()).toEqual(['web:good']);
    await kept.servers.refresh('web');
    expect(await kept.ids()).toEqual([]);
  });

  test('R49: floods with notices is read now and then, and others as ever', async () => {
    const [loud, quiet] = [await start({ era }), await start({ era })];
    const kept = await keepServers([httpEntry('loud', loud.url), httpEntry('quiet', quiet.url)]);
    await untilStatus(kept, 'loud', 'up');
    await until(() => loud.listeners === 1);
    loud.script.mood = 'floods';
    const lists = () => loud.requests.filter(({ method }) => method === 'tools/list').length;
    await until(() => lists() >= 3);
    await kept.servers.refresh('quiet');
    // 40,000 notices a second, and a reading after half a second, one second, two, …
    expect(lists()).toBeLessThan(8);
  });
});

test.each<McpMood>(['dies', 'hangs', 'garbage', 'no_list', 'endless_pages', 'huge_list', 'many_values'])(
  'R46: a process that %s has no tools, and says why',
  async (mood) => {
    const kept = await keepServers([
      stdioEntry('local', [MCP_PROCESS, JSON.stringify({ mood })], {
        timeouts: { connectMs: 3_000, listMs: 2_000, callMs: 1_000 },
      }),
    ]);
    await untilStatus(kept, 'local', 'down');
    expect(kept.servers.state('local')).toMatchObject({ tools: 0, lastError: { code: expect.any(String) } });
  },
);

test('R52: a tool whose x-mcp-header breaks its rules is left out, of the one who has headers', async () => {
  const bad = scriptedTool('bad', {
    inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
  });
  const good = scriptedTool('good', {
    inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } },
  });
  const server = await start({ era: 'modern', tools: [bad, good] });
  const kept = await keepServers([
    httpEntry('web', server.url),
    stdioEntry('local', [MCP_PROCESS, JSON.stringify({ tools: [bad] })]),
  ]);
  await untilStatus(kept, 'web', 'up');
  await untilStatus(kept, 'local', 'up');
  expect(await kept.ids()).toEqual(['local:bad', 'web:good']);
  await kept.servers.call('web', 'good', { a: 'Köln' });
  expect(server.requests.at(-1)!.headers).toMatchObject({
    'mcp-param-a': `=?base64?${btoa('K\u00c3\u00b6ln')}?=`,
    'mcp-name': 'good',
  });
});

describe('R57: a server over HTTP', () => {
  const down = async (kept: Kept) => {
    await untilStatus(kept, 'web', 'down');
    return kept.servers.state('web')!.lastError!;
  };

  test('R57: is not followed to another origin, and none of its headers goes there', async () => {
    const [there, here] = [await start(), await start()];
    here.script.redirectTo = there.url;
    const kept = await keepServers([httpEntry('web', here.url, {}, { headers: { 'x-key': 'secret-key' } })]);
    expect(await down(kept)).toMatchObject({ code: 'address_refused' });
    expect(there.requests).toEqual([]);
  });

  test('R57: is followed within its origin', async () => {
    const server = await start();
    const kept = await keepServers([httpEntry('web', server.url.replace('/mcp', '/old'))]);
    await untilStatus(kept, 'web', 'up');
  });

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433'])(
    'R57: is not reached at %s when private addresses are denied',
    async (host) => {
      const server = await start();
      const url = server.url.replace('127.0.0.1', host);
      const kept = await keepServers([httpEntry('web', url, {}, { deniesPrivate: true })]);
      expect(await down(kept)).toMatchObject({ code: 'address_refused' });
      expect(server.requests).toEqual([]);
    },
  );

  test('R57: gets a static bearer token', async () => {
    const server = await start();
    const kept = await keepServers([
      httpEntry('web', server.url, {}, { auth: { type: 'bearer', token: 'static-token' } }),
    ]);
    await untilStatus(kept, 'web', 'up');
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer static-token']),
    );
  });

  const oauth = { clientId: 'winnow', clientSecret: 'client-secret-1', token: 'granted-token-1' };
  const auth = (parts: object = {}) =>
    ({
      type: 'client_credentials',
      clientId: 'winnow',
      clientSecret: 'client-secret-1',
      scope: undefined,
      issuer: 'https://id.example.com',
      ...parts,
    }) as const;

  test('R57: grants a token for client credentials', async () => {
    const server = await start({ oauth });
    const issuer = new URL(server.url).origin;
    const kept = await keepServers([httpEntry('web', server.url, {}, { auth: auth({ issuer }) })]);
    await untilStatus(kept, 'web', 'up');
    expect(server.requests.at(-1)!.headers.authorization).toBe('Bearer granted-token-1');
  });

  test('R57: of another issuer does not get the secret', async () => {
    const server = await start({ oauth });
    const kept = await keepServers([httpEntry('web', server.url, {}, { auth: auth() })]);
    await down(kept);
    expect(server.requests).toEqual([]);
  });

  test('R57: chooses neither what is fetched for a token nor who grants it', async () => {
    const asked: string[] = [];
    const stranger = createServer((incoming, outgoing) => {
      asked.push(`${incoming.method} ${incoming.url} ${incoming.headers['x-key']}`);
      outgoing.end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void stranger.close());
    const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const issuer = await start({ oauth });
    const hostile = createServer((incoming, outgoing) => {
      const isGranted = incoming.headers.authorization === 'Bearer granted-token-1';
      const challenge = `Bearer resource_metadata="${elsewhere}/.well-known/oauth-protected-resource"`;
      outgoing.writeHead(isGranted ? 404 : 401, { 'www-authenticate': challenge }).end();
      if (isGranted) asked.push('granted');
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void hostile.close());
    const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/mcp`;
    const kept = await keepServers([
      httpEntry(
        'web',
        url,
        {},
        { headers: { 'x-key': 'of-the-server' }, auth: auth({ issuer: new URL(issuer.url).origin }) },
      ),
    ]);
    await down(kept);
    expect(new Set(asked)).toEqual(new Set(['granted']));
  });

  test('R57: that repeats its credentials in errors finds them in no state, no call and no log', async () => {
    const written: unknown[] = [];
    for (const method of ['warn', 'log', 'error', 'debug', 'info'] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => void written.push(words));
    }
    onTestFinished(() => void vi.restoreAllMocks());
    const server = await start({ oauth });
    const basic = btoa('winnow:client-secret-1-wrong');
    const secrets = new RegExp(`secret-key|client-secret-1|granted-token-1|query-secret|${basic}`);
    const kept = await keepServers([
      httpEntry(
        'web',
        `${server.url}?key=query-secret`,
        {},
        { headers: { 'x-key': 'secret-key' }, auth: auth({ issuer: new URL(server.url).origin }) },
      ),
    ]);
    await untilStatus(kept, 'web', 'up');
    server.script.mood = 'tells_secrets';
    const refused = await kept.servers.call('web', 'echo', {}).catch((error) => error);
    expect(refused).toMatchObject({ code: 'refused', rpcError: { message: 'not with Bearer ***' } });
    await kept.servers.refresh('web').catch(() => {});
    const wrong = await keepServers([
      httpEntry(
        'web',
        server.url,
        {},
        { auth: auth({ clientSecret: 'client-secret-1-wrong', issuer: new URL(server.url).origin }) },
      ),
    ]);
    await down(wrong);
    const told = [
      refused.message,
      refused.rpcError,
      kept.servers.states(),
      kept.observed,
      wrong.servers.states(),
      wrong.observed,
      written,
    ];
    expect(JSON.stringify(told)).not.toMatch(secrets);
  });
});
