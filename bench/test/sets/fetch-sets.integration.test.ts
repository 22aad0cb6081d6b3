import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchSet } from '../../src/sets/fetch-set.ts';
import type { SetSource } from '../../src/sets/set-source.ts';

const COMMAND = fileURLToPath(new URL('../../src/fetch-sets.ts', import.meta.url));
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const TOOLS = '{"name":"dig","description":"Digs","parameters":null,"group":null}\n';
const QUERIES = '{"id":"q0","query":"dig","gold":["dig"],"kind":"request"}\n';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const garden: SetSource = {
  name: 'garden',
  repository: 'example/garden',
  commit: COMMIT,
  licence: 'MIT',
  files: ['data/tools.json'],
  licenceFile: 'LICENSE',
  faults: ['There is one tool.'],
  sha256: { tools: sha256(TOOLS), queries: sha256(QUERIES) },
  convert: (read) => ({
    tools: JSON.parse(read('data/tools.json')),
    queries: [{ id: 'q0', query: 'dig', gold: ['dig'], kind: 'request' }],
  }),
};
const FILES = {
  'data/tools.json': `[${TOOLS}]`,
  LICENSE: 'As you like.\n',
  'data/other.bin': 'x'.repeat(1e5),
};

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function tarballOf(files: Record<string, string>): Promise<Buffer> {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, `garden-${COMMIT}`, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return Buffer.concat(
    (await create({ gzip: true, cwd: folder }, [`garden-${COMMIT}`]).collect()) as Uint8Array[],
  );
}

/** Starts a stand-in for GitHub that returns `body` for every path, or 404. */
async function serve(body: Buffer | undefined): Promise<{ from: string; paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { from: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

async function runCommand(...options: string[]) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [COMMAND, ...options], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe('fetchSet', () => {
  test('requests the pinned commit and writes the set, its licence and its source', async () => {
    const { from, paths } = await serve(await tarballOf(FILES));
    const directory = join(temporaryFolder(), 'new');
    const seen: number[] = [];
    expect(await fetchSet(garden, { from, directory, onBytes: (total) => seen.push(total) })).toBe('fetched');
    expect(paths).toEqual([`/example/garden/tar.gz/${COMMIT}`]);
    expect(seen.length).toBeGreaterThan(0);
    const read = (name: string) => readFileSync(join(directory, 'garden', name), 'utf8');
    expect(read('tools.jsonl')).toBe(TOOLS);
    expect(read('queries.jsonl')).toBe(QUERIES);
    expect(read('LICENSE')).toBe('As you like.\n');
    expect(read('SOURCE.md')).toContain(`https://github.com/example/garden/tree/${COMMIT}`);
    expect(read('SOURCE.md')).toContain('- There is one tool.');
    expect(readdirSync(join(directory, 'garden'))).toHaveLength(4);

    // The second call sends no request.
    expect(await fetchSet(garden, { from, directory })).toBe('present');
    expect(paths).toHaveLength(1);
  });

  test('does not touch files with other checksums', async () => {
    const { from, paths } = await serve(await tarballOf(FILES));
    const directory = temporaryFolder();
    mkdirSync(join(directory, 'garden'));
    writeFileSync(join(directory, 'garden', 'queries.jsonl'), 'mine');
    await expect(fetchSet(garden, { from, directory })).rejects.toThrow('move it away');
    expect(readFileSync(join(directory, 'garden', 'queries.jsonl'), 'utf8')).toBe('mine');
    expect(paths).toEqual([]);
  });

  test.each([
    ['a wrong checksum', { ...FILES, 'data/tools.json': '[]' }, 'tools.jsonl is not what was measured'],
    ['a missing file', { LICENSE: '' }, 'has no file data/tools.json'],
    ['a changed shape', { ...FILES, 'data/tools.json': '<html>' }, 'do not have the shape'],
  ])('writes nothing on %s', async (_, files, message) => {
    const { from } = await serve(await tarballOf(files));
    const directory = temporaryFolder();
    await expect(fetchSet(garden, { from, directory })).rejects.toThrow(message);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('reports a tarball that is cut off anywhere', async () => {
    const whole = await tarballOf(FILES);
    const directory = temporaryFolder();
    for (const length of [0, 1, 9, 20, Math.floor(whole.length / 2), whole.length - 9, whole.length - 1]) {
      const { from } = await serve(whole.subarray(0, length));
      await expect(fetchSet(garden, { from, directory }), `${length} bytes`).rejects.toThrow(
        /no whole tarball|has no file/,
      );
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test('reports a connection that breaks in the middle', async () => {
    const whole = await tarballOf({ ...FILES, noise: randomBytes(3e6).toString('base64') });
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, whole.length - 100), () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(fetchSet(garden, { from, directory: temporaryFolder() })).rejects.toThrow(
      'no whole tarball',
    );
  });

  test('reads a response that ends with the connection', async () => {
    const whole = await tarballOf({ ...FILES, noise: randomBytes(3e6).toString('base64') });
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), whole])));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await fetchSet(garden, { from, directory: temporaryFolder() })).toBe('fetched');
  });

  test('reports bytes that are not a tarball', async () => {
    const directory = temporaryFolder();
    const { from } = await serve(Buffer.from('<html>Please log in</html>'));
    await expect(fetchSet(garden, { from, directory })).rejects.toThrow('no whole tarball');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('fetch:sets', () => {
  test('continues with the next set if one fails, and exits with 1', async () => {
    const { from, paths } = await serve(undefined);
    const { code, stderr } = await runCommand(
      temporaryFolder(),
      '--sets',
      'restbench,nestful',
      '--from',
      `${from}/`,
    );
    expect(code).toBe(1);
    expect(paths).toEqual([
      '/Yifan-Song793/RestGPT/tar.gz/d99012860cb45323975bf5780152d7aa44f390f5',
      '/IBM/NESTFUL/tar.gz/053cbde0446dddd31e8293f179085e1b39ab79b5',
    ]);
    expect(stderr.match(/responded with status 404/g)).toHaveLength(2);
  });

  test('reports a missing network, and writes nothing', async () => {
    const directory = join(temporaryFolder(), 'sets');
    // A name that never resolves: https://www.rfc-editor.org/rfc/rfc6761#section-6.4
    const { code, stdout, stderr } = await runCommand(
      directory,
      '--sets',
      'restbench',
      '--from',
      'http://codeload.invalid',
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^cannot reach http:\/\/codeload\.invalid\/.*Is there a network\?.*\n$/);
    expect(existsSync(directory)).toBe(false);
  });

  test.each([
    [['DIR', '--sets', 'restbench,nestfull'], /no set "nestfull"; there are: bfcl, /],
    [[], /usage: npm run fetch:sets/],
    [['DIR', '--set', 'x'], /Unknown option '--set'[\s\S]*usage/],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await runCommand(...options);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
