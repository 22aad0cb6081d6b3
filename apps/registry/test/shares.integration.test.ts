import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { RIGHTS } from '../src/http/callers.ts';
import { FakeServers } from './fake-servers.ts';
import { connectClient } from './mcp-client.ts';
import { ask, register, start, type TestRegistry, tool } from './start.ts';

const TOKENS = ['a', 'b'].map((tenant) => ({
  name: tenant,
  token: `token-of-tenant-${tenant}`,
  tenant,
  rights: RIGHTS,
  namespaces: undefined,
}));
const [A, B] = TOKENS.map(({ token }) => token) as [string, string];
const as = (token: string) => ({ authorization: `Bearer ${token}` });

const onServer = tool('wait', { namespace: 'slow', backend: { kind: 'mcp', server: 'slow' } });

test('calls of one tenant that hang leave slots to another', async () => {
  const servers = new FakeServers();
  const service = await start({ tokens: TOKENS, mcpMaxCalls: 8 }, { serversOf: () => servers });
  const ends: (() => void)[] = [];
  servers.answer = () => new Promise((resolve) => ends.push(() => resolve({ content: [] })));
  for (const token of [A, B]) await register(service, [onServer], as(token));
  const [hanging, other] = [
    await connectClient(service.url, { token: A }),
    await connectClient(service.url, { token: B }),
  ];
  const call = { name: 'call_tool', arguments: { name: 'wait', arguments: {} } };
  const calls = Array.from({ length: 4 }, () => hanging.callTool(call));
  await expect.poll(() => ends.length).toBe(4);
  expect(JSON.stringify(await hanging.callTool(call))).toContain('overloaded: ');
  const served = other.callTool(call);
  await expect.poll(() => ends.length).toBe(5);
  for (const end of ends) end();
  expect(await served).not.toHaveProperty('isError');
  await Promise.all(calls);
});

test('followers of one tenant leave streams to another, and their place when they leave', async () => {
  const service = await start({ tokens: TOKENS, maxFollowers: 4 });
  const follow = async (token: string) => {
    const leave = new AbortController();
    onTestFinished(() => leave.abort());
    const response = await fetch(`${service.api}/changes`, { headers: as(token), signal: leave.signal });
    return { status: response.status, leave: () => leave.abort() };
  };
  const first = await follow(A);
  const statuses = [first, await follow(A), await follow(A), await follow(B)].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 503, 200]);
  first.leave();
  await expect.poll(async () => (await follow(A)).status).toBe(200);
});

test('requests of one tenant whose bodies never end leave room to another', async () => {
  const service = await start({ tokens: TOKENS, maxWaiting: 4 });
  for (let count = 0; count < 2; count++) await drip(service, A);
  const search = (token: string) => ask('POST', `${service.api}/search`, { query: 'x' }, as(token));
  await expect.poll(async () => (await search(A)).status).toBe(503);
  expect((await search(B)).status).toBe(200);
});

/** Sends the head of a search and never its body; resolves when the service has answered `100 Continue`. */
async function drip({ url }: TestRegistry, token: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    [
      'POST /v1/registry/search HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 100',
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  );
  await new Promise((resolve) => socket.once('data', resolve));
}
