import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createRegistryClient } from '../../src/registry/registry-client.ts';

type Agent = Parameters<typeof createRegistryClient>[1];
type Sent = Parameters<Agent['request']>[0];

/** A registry with a single response, and the requests that it received. */
function registryOf(statusCode: number, contentType: string, ...pieces: (string | Buffer)[]) {
  const asked: Sent[] = [];
  const agent = {
    request: async (request: Sent) => {
      asked.push(request);
      const body = Readable.from(pieces.map((piece) => Buffer.from(piece)));
      return { statusCode, headers: { 'content-type': contentType }, body };
    },
  } as unknown as Agent;
  const client = createRegistryClient({ url: 'http://registry:8790/below/', token: 'own' }, agent);
  const call = (token = 'of the request') =>
    client.callTool({
      name: 'search_tools',
      input: { query: 'x' },
      token,
      headers: { 'x-request-id': 'r' },
      signal: new AbortController().signal,
    });
  return { call, asked };
}

describe('a call of a tool', () => {
  test('uses the endpoint for read-only tools, with the token of the call', async () => {
    const { call, asked } = registryOf(200, 'application/json', '{"result":{}}');
    expect(await call()).toEqual([{ result: {} }]);
    const { origin, path, method, headers, body, headersTimeout, bodyTimeout } = asked[0]!;
    expect([origin, path, method]).toEqual(['http://registry:8790', '/below/mcp/read-only', 'POST']);
    expect(headers).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      'x-request-id': 'r',
      authorization: 'Bearer of the request',
    });
    expect(JSON.parse(String(body))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'x' } },
    });
    // Its signal is the only time limit.
    expect([headersTimeout, bodyTimeout]).toEqual([0, 0]);
  });

  test("sends no token without one, not even the client's own", async () => {
    const { call, asked } = registryOf(200, 'application/json', '{}');
    await call('');
    expect(asked[0]!.headers).not.toHaveProperty('authorization');
  });

  test('returns the messages of a stream, even one of more than a mebibyte', async () => {
    const long = 'x'.repeat(2 * 2 ** 20);
    const stream = [': ping\n\n', 'data: {"method":"note"}\n\n', `data: {"result":"${long}"}\n\n`];
    const { call } = registryOf(200, 'text/event-stream; charset=utf-8', ...stream);
    expect(await call()).toEqual([{ method: 'note' }, { result: long }]);
  });

  test('returns undefined for a message that is not JSON', async () => {
    expect(await registryOf(200, 'application/json', 'oops').call()).toEqual([undefined]);
  });

  test.each([
    ['application/json', Buffer.alloc(4 * 2 ** 20 + 1, ' ')],
    ['text/event-stream', Buffer.alloc(4 * 2 ** 20 + 1, ':\n')],
  ])('does not read a response of more than 4 MiB (%s)', async (type, body) => {
    await expect(registryOf(200, type, body).call()).rejects.toMatchObject({ reason: 'invalid_response' });
  });

  test.each([
    [401, 'refused'],
    [403, 'refused'],
    [429, 'unavailable'],
    [503, 'unavailable'],
  ])('fails with a status of %d', async (status, reason) => {
    await expect(registryOf(status, 'text/plain', 'no').call()).rejects.toMatchObject({ reason, status });
  });

  test('fails with the cause of a connection that breaks off', async () => {
    const cause = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    const agent = { request: () => Promise.reject(cause) } as unknown as Agent;
    const client = createRegistryClient({ url: 'http://registry:8790', token: '' }, agent);
    const signal = new AbortController().signal;
    const call = client.callTool({ name: 'call_tool', input: {}, token: '', headers: {}, signal });
    await expect(call).rejects.toMatchObject({ reason: 'unreachable', cause });
  });
});
