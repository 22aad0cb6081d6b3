import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ImportOptions, importAgentSettings } from '../src/mcp/run-mcp.ts';

const SETTINGS = {
  mcpServers: {
    github: { command: 'npx', args: ['-y', 'github-mcp'], env: { TOKEN: 'secret-token' } },
    old: { type: 'sse', url: 'https://secret.example' },
  },
};

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'winnow import '));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const file = join(path, '.mcp.json');
  writeFileSync(file, JSON.stringify(SETTINGS));
  const to = join(path, 'config/winnow/mcp.json');
  const door = { command: 'npx', args: ['-y', 'winnow-tools', 'mcp'] };
  const run = (options: Partial<ImportOptions> = {}) =>
    importAgentSettings({
      file,
      agent: undefined,
      to,
      isWritten: false,
      door,
      start: 'winnow-tools mcp',
      ...options,
    });
  return { path, file, to, run };
}

test('an import prints the entry, writes nothing, and says how it would', () => {
  const { file, to, run } = folder();
  const result = run();
  expect(result).toMatchObject({ ok: true });
  const { text } = result as { text: string };
  expect(text).toContain(
    `Claude Code, ${file}: 1 server (github).\nLeft out: old, as it uses the old SSE transport`,
  );
  expect(text).toContain(`winnow-tools mcp --import '${file}' --to '${to}' --write`);
  const entry = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  expect(entry).toEqual({
    mcpServers: { winnow: { command: 'npx', args: ['-y', 'winnow-tools', 'mcp', '--config', to] } },
  });
  expect(text).toContain('These are not: log messages of servers; ');
  expect(text).not.toContain('secret');
  expect(existsSync(to)).toBe(false);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(SETTINGS);
});

test('an import that is to be written writes for its owner only, and never over something else', () => {
  const { file, to, run } = folder();
  expect(run({ isWritten: true })).toMatchObject({
    ok: true,
    text: expect.stringContaining(`are now in ${to}`),
  });
  expect(JSON.parse(readFileSync(to, 'utf8'))).toEqual({
    mcpServers: {
      github: { type: 'stdio', command: 'npx', args: ['-y', 'github-mcp'], env: { TOKEN: 'secret-token' } },
    },
  });
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(SETTINGS);
  // Once more changes nothing.
  expect(run({ isWritten: true })).toMatchObject({ ok: true });
  writeFileSync(to, 'mine');
  expect(run({ isWritten: true })).toEqual({
    ok: false,
    problem: `${to} exists already with other content. Name another file with --to.`,
  });
  expect(readFileSync(to, 'utf8')).toBe('mine');
});

test('what cannot be imported is said in a sentence', () => {
  const { path, file, run } = folder();
  expect(run({ file: join(path, 'none.json') })).toEqual({
    ok: false,
    problem: `${join(path, 'none.json')} cannot be read.`,
  });
  writeFileSync(file, '{"mcpServers":{}}');
  expect(run()).toEqual({ ok: false, problem: `${file} has no server to copy.` });
  writeFileSync(file, 'secret');
  expect(JSON.stringify(run())).toContain('cannot be read as JSON');
  expect(run({ agent: 'emacs' })).toMatchObject({
    ok: false,
    problem: expect.stringContaining('There is no agent emacs'),
  });
  expect(run({ isWritten: true, to: join(file, 'x.json') })).toMatchObject({ ok: false });
});
