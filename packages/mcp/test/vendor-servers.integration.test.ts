import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, legacyStatelessFallback } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpEntry, type Kept, keepServers, stdioEntry, until, untilStatus } from './keep-servers.ts';
import { createVendorServer } from './vendor-server.ts';

const PROGRAM = new URL('./vendor-server.ts', import.meta.url).pathname;

/** The vendor's handler behind an address. */
async function serve(answer: (request: Request) => Promise<Response>): Promise<string> {
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = 'GET', headers, url = '/' } = incoming;
  const body = method === 'POST' ? { body: Buffer.concat(chunks) } : {};
  const leaving = new AbortController();
  outgoing.once('close', () => leaving.abort());
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    signal: leaving.signal,
    ...body,
  });
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) return void outgoing.end();
  try {
    for await (const chunk of response.body) outgoing.write(chunk);
  } catch {
    // The client has left.
  }
  outgoing.end();
}

/** Promises that hold for every server of the vendor. */
async function expectToServe(kept: Kept, name: string, era: 'legacy' | 'modern'): Promise<void> {
  await untilStatus(kept, name, 'up');
  expect(kept.servers.state(name)).toMatchObject({
    era,
    tools: 3,
    leftOut: [],
    protocolVersion: era === 'modern' ? '2026-07-28' : '2025-11-25',
  });
  expect((await kept.registry.get(`${name}:shout`))!.definition).toMatchObject({
    description: 'Writes a text in capitals.',
    annotations: { readOnlyHint: true },
  });
  expect(await kept.servers.call(name, 'shout', { text: 'ü' })).toMatchObject({
    content: [{ type: 'text', text: 'Ü' }],
  });
  expect(await kept.servers.call(name, 'fail', {})).toMatchObject({
    isError: true,
    content: [{ text: 'as asked' }],
  });
  // What is not a tool, or not its arguments, is refused, or is an error of the tool: that is for the server to say.
  const refused = await kept.servers.call(name, 'shout', { text: 7 }).catch((error) => error);
  expect(refused.isError ?? refused.code).toBeOneOf([true, 'refused']);
}

describe("servers by the vendor's package", () => {
  test('R46: are read and called over HTTP in the new era', async () => {
    const handler = createMcpHandler(createVendorServer);
    onTestFinished(() => handler.close());
    const kept = await keepServers([httpEntry('web', await serve((request) => handler.fetch(request)))]);
    await expectToServe(kept, 'web', 'modern');
  });

  test('R46: are read and called over HTTP in the old era', async () => {
    const handler = legacyStatelessFallback(createVendorServer);
    const kept = await keepServers([httpEntry('web', await serve((request) => handler(request)))]);
    await expectToServe(kept, 'web', 'legacy');
  });

  test.each(['modern', 'legacy'] as const)(
    'R46: are read and called as processes in the era %s',
    async (era) => {
      const kept = await keepServers([stdioEntry('local', [PROGRAM, era])]);
      await expectToServe(kept, 'local', era);
    },
  );

  test.each(['modern', 'legacy'] as const)(
    'R49: are read again when they say that they have grown, in the era %s',
    async (era) => {
      const kept = await keepServers([stdioEntry('local', [PROGRAM, era])]);
      await untilStatus(kept, 'local', 'up');
      await kept.servers.call('local', 'grow', {});
      await until(() => kept.registry.idsOfServer('local').includes('local:grown'));
    },
  );
});
