// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations write variables.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  EMBEDDINGS_KEY,
  MCP_PROCESS,
  scriptedTool,
  startEmbeddingsEndpoint,
  startMcpServer,
} from '@winnow/testkit';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { CLIENT_MODES, type ClientMode, MODES } from './mcp-client.ts';

const MAIN = fileURLToPath(new URL('../src/mcp-main.ts', import.meta.url));

/** A configuration file with these servers. */
function configuration(mcpServers: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return file;
}

const local = (script: object = {}) => ({
  command: process.execPath,
  args: [MCP_PROCESS, JSON.stringify(script)],
});

async function connect(
  mode: ClientMode,
  args: readonly string[],
  options: object = {},
  env?: NodeJS.ProcessEnv,
) {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: CLIENT_MODES[mode] }, ...options },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, ...args],
    stderr: 'pipe',
    ...(env && { env: env as Record<string, string> }),
  });
  onTestFinished(() => client.close().catch(() => {}));
  await client.connect(transport);
  return { client, transport };
}

const textOf = ({ content }: { readonly content?: unknown }) => (content as { text: string }[])[0]!.text;

// By day, in the latest revision alone: over HTTP, every revision is tried.
describe.each(inject('isExhaustive') ? MODES : MODES.slice(-1))(
  'the vendor client over stdio, %s',
  (mode) => {
    test('R58: R60: R61: lists, searches and calls tools of two servers', async () => {
      const web = await startMcpServer({ tools: [scriptedTool('get_weather')] });
      onTestFinished(() => web.close());
      const file = configuration({
        web: { url: web.url },
        files: local({ tools: [scriptedTool('read_file')] }),
      });
      const { client } = await connect(mode, ['--config', file]);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool', 'describe_tools']);
      // The first search waits for what the servers list.
      expect(
        textOf(await client.callTool({ name: 'search_tools', arguments: { query: 'weather' } })),
      ).toContain('### web__get_weather');
      for (const name of ['web__get_weather', 'files__read_file']) {
        const wrong = await client.callTool({
          name: 'call_tool',
          arguments: { name: `${name}x`, arguments: {} },
        });
        expect(textOf(wrong)).toContain(`The nearest names: ${name}`);
      }
      const described = await client.callTool({
        name: 'describe_tools',
        arguments: { names: ['read_file', 'get_weather'] },
      });
      expect(described.structuredContent).toMatchObject({
        tools: [{ name: 'files__read_file' }, { name: 'web__get_weather' }],
      });
    });

    test('R64: has a calling tool for each server', async () => {
      const { client } = await connect(mode, [
        '--config',
        configuration({ files: local() }),
        '--dispatch',
        'per_namespace',
      ]);
      // The tools of a server are known once a caller has waited for it.
      await client.callTool({ name: 'search_tools', arguments: { query: 'echo' } });
      await expect
        .poll(async () =>
          (await client.listTools(undefined, { cacheMode: 'refresh' } as never)).tools.map(
            ({ name }) => name,
          ),
        )
        .toContain('call_files');
    });
  },
);

/** The command as a process, spoken to line by line. */
function spawnDoor(args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let said = '';
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  child.stderr.on('data', (data) => {
    said += data;
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return {
    child,
    lines,
    said: () => said,
    ended,
    send: (message: object | string) =>
      child.stdin.write(
        `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
      ),
  };
}

const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

async function childrenOf({ pid }: ChildProcess): Promise<readonly number[]> {
  const { execFileSync } = await import('node:child_process');
  try {
    const text = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return text.split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('R73: the embedder of the command line orders by meaning, too', async () => {
  const endpoint = await startEmbeddingsEndpoint();
  onTestFinished(() => endpoint.close());
  const tools = [
    scriptedTool('bank_holidays', { description: 'Bank holidays of a bank.' }),
    scriptedTool('bank_transfer', { description: 'Makes a transfer at any bank in the country.' }),
  ];
  const file = configuration({ s: local({ tools }) });
  const env = {
    ...process.env,
    REGISTRY_EMBEDDER_ADDRESS: endpoint.address,
    REGISTRY_EMBEDDER_API_KEY: EMBEDDINGS_KEY,
  };
  const bestOf = async (args: readonly string[]) => {
    const { client } = await connect('auto', ['--config', file, ...args], {}, env);
    const search = { name: 'search_tools', arguments: { query: 'pay at the bank' } };
    return async () => /s__\w+/.exec(textOf(await client.callTool(search)))?.[0];
  };
  // What is learnt in the background is there in a moment.
  const learnt = await bestOf(['--embedder', endpoint.address]);
  await expect.poll(learnt, { timeout: 30_000 }).toBe('s__bank_transfer');
  const byWords = await bestOf(['--embedder', '']);
  expect(await byWords()).toBe('s__bank_holidays');
});

describe('the command', () => {
  test('writes nothing but the protocol to stdout, whatever servers and clients write', async () => {
    const file = configuration({
      loud: local({ says: 'noise of a server' }),
      gone: { command: '/no/such/command' },
    });
    const door = spawnDoor(['--config', file]);
    door.send('no json');
    door.send(INITIALIZE);
    door.send({ method: 'notifications/initialized' });
    door.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'echo' } },
    });
    await expect
      .poll(() => door.lines.some((line) => line.includes('"id":1')), { timeout: 15_000 })
      .toBe(true);
    for (const line of door.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(door.lines.join()).toContain('loud__echo');
    expect(door.said()).toContain('gone');
  });

  test.each(['its client leaves', 'SIGTERM'])('ends with all of its servers when %s', async (how) => {
    const door = spawnDoor(['--config', configuration({ files: local() })]);
    door.send(INITIALIZE);
    door.send({ method: 'notifications/initialized' });
    door.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'echo' } },
    });
    await expect.poll(() => door.lines.length, { timeout: 15_000 }).toBeGreaterThan(1);
    const children = await childrenOf(door.child);
    expect(children.length).toBeGreaterThan(0);
    if (how === 'SIGTERM') door.child.kill('SIGTERM');
    else door.child.stdin.end();
    expect(await door.ended).toBe(0);
    await expect.poll(() => children.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  test('a cancelled call ends, and others continue', async () => {
    const web = await startMcpServer({ era: 'legacy' });
    onTestFinished(() => web.close());
    const door = spawnDoor(['--config', configuration({ web: { url: web.url } })]);
    door.send(INITIALIZE);
    door.send({ method: 'notifications/initialized' });
    door.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'echo' } },
    });
    await expect.poll(() => door.lines.join(), { timeout: 15_000 }).toContain('web__echo');
    web.script.mood = 'hangs';
    door.send({
      id: 2,
      method: 'tools/call',
      params: { name: 'call_tool', arguments: { name: 'echo', arguments: {} } },
    });
    await expect.poll(() => web.requests.some(({ method }) => method === 'tools/call')).toBe(true);
    door.send({ method: 'notifications/cancelled', params: { requestId: 2 } });
    await expect
      .poll(() => web.requests.some(({ method }) => method === 'notifications/cancelled'))
      .toBe(true);
    door.send({ id: 3, method: 'tools/list' });
    await expect.poll(() => door.lines.some((line) => line.includes('"id":3'))).toBe(true);
    expect(door.lines.some((line) => line.includes('"id":2'))).toBe(false);
  });

  test.each([
    [
      [],
      '--config must name a file with MCP servers; --import FILE makes one from the settings of an agent.',
    ],
    [['--config', '/no/such/file'], 'The file /no/such/file cannot be read (ENOENT)'],
    [['--config', 'x', '--dispatch', 'y'], '--dispatch takes single, per_namespace, per_effect, not "y".'],
    [['--write'], '--write goes with --import.'],
    [['--cnofig', 'x'], "Unknown option '--cnofig'"],
    [['--import', '/no/such/file'], '/no/such/file cannot be read.'],
  ])('of %j it says what is wrong, on stderr', async (args, problem) => {
    const door = spawnDoor(args);
    expect(await door.ended).toBe(2);
    expect(door.said()).toContain(problem);
    expect(door.lines).toEqual([]);
  });

  test('an invalid server configuration is reported, and the other servers work', async () => {
    const file = configuration({
      files: local(),
      broken: { command: 'x', env: { KEY: '${NO_SUCH_VARIABLE_HERE}' } },
    });
    const door = spawnDoor(['--config', file]);
    door.send(INITIALIZE);
    door.send({ method: 'notifications/initialized' });
    door.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'echo' } },
    });
    await expect.poll(() => door.lines.join(), { timeout: 15_000 }).toContain('files__echo');
    expect(door.said()).toContain('NO_SUCH_VARIABLE_HERE is not set');
  });

  test('prints the entry for an agent, and nothing else happens', async () => {
    const file = configuration({ files: local() });
    const door = spawnDoor(['--import', file, '--agent', 'claude-code', '--to', `${file}.new`]);
    expect(await door.ended).toBe(0);
    const text = door.lines.join('\n');
    expect(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).toEqual({
      mcpServers: { winnow: { command: process.execPath, args: [MAIN, '--config', `${file}.new`] } },
    });
  });
});
