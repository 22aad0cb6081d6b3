import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readServers } from '@winnow/mcp';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLIENT_MODES, type ClientMode, connectClient, MODES } from './mcp-client.ts';
import { ask, start } from './start.ts';

/** Prompts, resources, templates and instructions of a real server, through the front door. */

const EVERYTHING = fileURLToPath(
  new URL(
    '../../../node_modules/.cache/winnow-mcp-servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
    import.meta.url,
  ),
);
const MAIN = fileURLToPath(new URL('../src/mcp-main.ts', import.meta.url));

const LOCAL = { command: process.execPath, args: [EVERYTHING] };

const READER = 'reader-0123456789abcdef';
const LIMITED = 'limited-0123456789abcdef';
const TOKENS = [
  { name: 'reader', token: READER, tenant: 'default', rights: ['read'], namespaces: undefined },
  { name: 'limited', token: LIMITED, tenant: 'default', rights: ['read'], namespaces: ['mine'] },
] as const;

async function startDoor(mcpServers: object) {
  const { entries, problems } = readServers(JSON.stringify({ mcpServers }), {});
  expect(problems).toEqual([]);
  const registry = await start({ servers: entries, tokens: TOKENS });
  const authorization = { authorization: `Bearer ${READER}` };
  for (const { name } of entries) {
    await vi.waitFor(
      async () =>
        expect(
          (await ask('GET', `${registry.api}/servers/${name}`, undefined, authorization)).body.state,
        ).toBe('up'),
      { timeout: 60_000, interval: 50 },
    );
  }
  return registry;
}

/** Starts the server over HTTP, in its own process. */
async function startEverything(): Promise<string> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  await vi.waitFor(async () => await fetch(url), { timeout: 30_000, interval: 50 });
  return url;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Expects everything of the server to be there, and to work. */
async function expectEverything(client: Client): Promise<void> {
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['everything__simple-prompt', 'everything__args-prompt']),
  );
  const got = await client.getPrompt({
    name: 'everything__args-prompt',
    arguments: { city: 'Lisbon', state: 'rain' },
  });
  expect(JSON.stringify(got.messages)).toContain('Lisbon');
  await expect(client.getPrompt({ name: 'args-prompt', arguments: {} })).rejects.toMatchObject({
    code: -32602,
  });

  const { resources } = await client.listResources();
  const [first] = resources;
  expect(first!.uri).toMatch(/^winnow:\/\/everything\/demo:\/\/resource\/static\//);
  const read = await client.readResource({ uri: first!.uri });
  expect(read.contents[0]).toMatchObject({ uri: first!.uri });

  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  expect(templates).toContain('winnow://everything/demo://resource/dynamic/text/{resourceId}');
  const dynamic = await client.readResource({ uri: 'winnow://everything/demo://resource/dynamic/text/1' });
  expect(JSON.stringify(dynamic.contents)).toContain('Resource 1');
  const own = await client.readResource({ uri: 'demo://resource/dynamic/text/2' });
  expect(own.contents[0]!.uri).toBe('demo://resource/dynamic/text/2');

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  expect(completion.values).toContain('Engineering');

  const found = await client.callTool({ name: 'search_tools', arguments: { query: 'simple prompt' } });
  expect(textOf(found)).toContain('- everything__simple-prompt: ');
  const tools = await client.callTool({ name: 'search_tools', arguments: { query: 'echo' } });
  expect(textOf(tools)).toMatch(/<server_instructions>\n.+\n<\/server_instructions>/s);
  const called = await client.callTool({
    name: 'call_tool',
    arguments: { name: 'everything__simple-prompt', arguments: {} },
  });
  expect(textOf(called)).toContain('user: ');
}

const textOf = ({ content }: { readonly content?: unknown }) =>
  (content as { text: string }[]).map(({ text }) => text).join('\n');

describe.each(MODES)('the vendor client, %s', (mode) => {
  test('R82: has the prompts and resources of a server over stdio', { tags: ['mcp-servers'] }, async () => {
    const { url } = await startDoor({ everything: LOCAL });
    await expectEverything(await connectClient(url, { mode, token: READER }));
  });

  test('R83: a limited token has none of another namespace', { tags: ['mcp-servers'] }, async () => {
    const { url } = await startDoor({ everything: LOCAL });
    const client = await connectClient(url, { mode, token: LIMITED });
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const denied = { code: -32602 };
    await expect(client.getPrompt({ name: 'everything__simple-prompt' })).rejects.toMatchObject(denied);
    for (const uri of [
      'winnow://everything/demo://resource/dynamic/text/1',
      'demo://resource/dynamic/text/1',
    ])
      await expect(client.readResource({ uri })).rejects.toMatchObject(denied);
  });
});

test('R82: the prompts and resources of a server over HTTP', { tags: ['mcp-servers'] }, async () => {
  const { url } = await startDoor({ everything: { url: await startEverything() } });
  await expectEverything(await connectClient(url, { token: READER }));
});

async function connectStdio(mode: ClientMode): Promise<Client> {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-mcp-')), 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { everything: LOCAL } }));
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: CLIENT_MODES[mode] } },
  );
  onTestFinished(() => client.close().catch(() => {}));
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, '--config', file], stderr: 'ignore' }),
  );
  return client;
}

const WATCHED = 'winnow://everything/demo://resource/dynamic/text/1';

/** Subscribes in the way of the client's era. */
async function subscribe(client: Client): Promise<void> {
  if (client.getProtocolEra() === 'modern') await client.listen({ resourceSubscriptions: [WATCHED] });
  else await client.subscribeResource({ uri: WATCHED });
}

/** Has the server tell of updates, and expects one. */
async function expectUpdate(client: Client): Promise<void> {
  const updated: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updated.push(params.uri),
  );
  await subscribe(client);
  await client.callTool({
    name: 'call_tool',
    arguments: { name: 'everything__toggle-subscriber-updates', arguments: {} },
  });
  await vi.waitFor(() => expect(updated).toContain(WATCHED), { timeout: 30_000, interval: 50 });
}

describe.each(MODES)('the vendor client over stdio, %s', (mode) => {
  test('R82: R85: has the prompts and resources, and is notified of updates', {
    tags: ['mcp-servers'],
  }, async () => {
    const client = await connectStdio(mode);
    await expectEverything(client);
    await expectUpdate(client);
  });
});

test('R85: a client over HTTP is notified of updates; an older one is told that it cannot', {
  tags: ['mcp-servers'],
}, async () => {
  const { url } = await startDoor({ everything: LOCAL });
  await expectUpdate(await connectClient(url, { mode: 'pinned', token: READER }));
  const older = await connectClient(url, { mode: 'legacy', token: READER });
  expect(older.getServerCapabilities()?.resources).toEqual({ listChanged: true });
  await expect(older.subscribeResource({ uri: WATCHED })).rejects.toThrow(/not relayed/);
});
