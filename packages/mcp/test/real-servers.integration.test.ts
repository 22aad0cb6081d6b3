import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CallHolder, CallResult } from '../src/servers/mcp-servers.ts';
import { REAL_SERVERS } from './install-real-servers.ts';
import { keepServers, stdioEntry, until, untilStatus } from './keep-servers.ts';

const npmServer = (name: string) =>
  join(REAL_SERVERS, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const INTERPRETER = join(REAL_SERVERS, 'python/bin/python');

const textOf = (result: CallResult) => (result.content as { text?: string }[])[0]?.text ?? '';

describe('servers that others wrote', () => {
  test('R46: server-everything is read and called, with progress', { tags: ['mcp-servers'] }, async () => {
    const kept = await keepServers([stdioEntry('everything', [npmServer('everything')])]);
    await untilStatus(kept, 'everything', 'up');
    const state = kept.servers.state('everything')!;
    expect(state.tools).toBeGreaterThanOrEqual(8);
    expect(state.leftOut).toEqual([]);
    expect(textOf(await kept.servers.call('everything', 'echo', { message: 'hello' }))).toContain('hello');
    const progress: number[] = [];
    await kept.servers.call(
      'everything',
      'trigger-long-running-operation',
      { duration: 1, steps: 3 },
      { onProgress: (told) => void progress.push(told.progress) },
    );
    expect(progress).toEqual([1, 2, 3]);
  });

  test('R46: server-filesystem is read, and reads a file of the folder that it was given', {
    tags: ['mcp-servers'],
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-files-'));
    writeFileSync(join(folder, 'note.txt'), 'found me');
    const kept = await keepServers([stdioEntry('files', [npmServer('filesystem'), folder])]);
    await untilStatus(kept, 'files', 'up');
    expect(
      textOf(await kept.servers.call('files', 'read_text_file', { path: join(folder, 'note.txt') })),
    ).toContain('found me');
    const found = await kept.registry.search('read a text file');
    expect(found).toMatchObject({
      ok: true,
      tools: expect.arrayContaining([expect.objectContaining({ id: 'files:read_text_file' })]),
    });
  });

  test('R46: server-memory is read, and remembers', { tags: ['mcp-servers'] }, async () => {
    const MEMORY_FILE_PATH = join(mkdtempSync(join(tmpdir(), 'winnow-memory-')), 'memory.json');
    const kept = await keepServers([
      stdioEntry('memory', [npmServer('memory')], {}, { env: { MEMORY_FILE_PATH } }),
    ]);
    await untilStatus(kept, 'memory', 'up');
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote a program'] }];
    await kept.servers.call('memory', 'create_entities', { entities });
    expect(textOf(await kept.servers.call('memory', 'read_graph', {}))).toContain('wrote a program');
  });

  test('R81: server-sequential-thinking keeps the thoughts of callers apart', {
    tags: ['mcp-servers'],
  }, async () => {
    const entry = stdioEntry('think', [npmServer('sequential-thinking')], { isolation: 'session' });
    const kept = await keepServers([entry]);
    await untilStatus(kept, 'think', 'up');
    const think = async (holder: CallHolder, branchId: string) => {
      const thought = {
        ...{ thought: 'A secret plan.', thoughtNumber: 2, totalThoughts: 2, nextThoughtNeeded: false },
        ...{ branchFromThought: 1, branchId },
      };
      const result = await kept.servers.call('think', 'sequentialthinking', thought, { holder });
      const { branches, thoughtHistoryLength } = JSON.parse(textOf(result));
      return { branches, thoughtHistoryLength };
    };
    const ada = { caller: 'team', session: 'ada' };
    expect(await think(ada, 'of-ada')).toEqual({ branches: ['of-ada'], thoughtHistoryLength: 1 });
    expect(await think({ caller: 'team', session: 'bob' }, 'of-bob')).toEqual({
      branches: ['of-bob'],
      thoughtHistoryLength: 1,
    });
    expect(await think({ caller: 'other', session: 'ada' }, 'other')).toMatchObject({ branches: ['other'] });
    expect(await think(ada, 'again')).toEqual({ branches: ['of-ada', 'again'], thoughtHistoryLength: 2 });
    expect(kept.servers.state('think')).toMatchObject({ isolation: 'session', processes: 3 });
    kept.expire(600_000);
    await until(() => kept.servers.state('think')!.processes === 0);
    expect(await think(ada, 'anew')).toMatchObject({ branches: ['anew'] });
  });

  test.each(['mcp_server', 'fastmcp_server'])(
    'R46: a server by Python, %s, is read and called',
    { tags: ['python-mcp-servers'] },
    async (name) => {
      const program = join(import.meta.dirname, `python/${name}.py`);
      const kept = await keepServers([stdioEntry('python', [program], {}, { command: INTERPRETER })]);
      await untilStatus(kept, 'python', 'up');
      expect(await kept.ids()).toEqual(['python:add']);
      expect(textOf(await kept.servers.call('python', 'add', { a: 2, b: 3 }))).toBe('5');
      expect(kept.servers.state('python')!.protocolVersion).toBe('2026-07-28');
    },
  );
});
