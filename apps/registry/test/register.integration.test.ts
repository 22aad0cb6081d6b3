import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { runRegister } from '../src/register/run-register.ts';
import { start } from './start.ts';

const folder = mkdtempSync(join(tmpdir(), 'winnow-register-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, 'tools.jsonl');
  writeFileSync(file, text);
  return file;
}

async function register(...words: string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runRegister(words, {
    print: (line) => lines.push(line),
    printError: (line) => errors.push(line),
  });
  return { code, lines, errors };
}

const tools = (count: number, description = 'Does it') =>
  Array.from({ length: count }, (_, n) => JSON.stringify({ name: `tool_${n}`, description })).join('\n');

async function countOf(api: string): Promise<number> {
  const stats = (await (await fetch(`${api}/stats`)).json()) as { tools: number };
  return stats.tools;
}

describe('the command register', () => {
  test('registers a file, changes what differs, and nothing the second time', async () => {
    const { url, api } = await start();
    const file = fileOf(tools(1_200));
    const words = [file, '--registry', url, '--namespace', 'shop', '--tag', 'new'];
    expect(await register(...words, '--dry-run')).toMatchObject({
      code: 0,
      lines: expect.arrayContaining([
        'new  shop:tool_0  (shop__tool_0)',
        '1200 tools: 1200 new, 0 changed, 0 unchanged. Nothing is registered yet.',
      ]),
    });
    expect(await countOf(api)).toBe(0);
    expect((await register(...words)).lines).toEqual(['1200 tools: 1200 new, 0 changed, 0 unchanged.']);
    expect(await countOf(api)).toBe(1_200);
    expect((await register(...words)).lines).toEqual(['1200 tools: 0 new, 0 changed, 1200 unchanged.']);
    fileOf(`${tools(1)}\n${JSON.stringify({ name: 'tool_1', description: 'Does more' })}`);
    expect((await register(...words)).lines).toEqual(['2 tools: 0 new, 1 changed, 1 unchanged.']);
    const found = (await (await fetch(`${api}/tools/shop:tool_1`)).json()) as object;
    expect(found).toMatchObject({ summary: 'Does more', tags: ['new'] });
  });

  test('registers nothing of a file with a bad line', async () => {
    const { url, api } = await start();
    const { code, errors } = await register(fileOf(`${tools(3)}\n{"name":\n{}`), '--registry', url);
    expect(code).toBe(1);
    expect(errors).toEqual([
      expect.stringMatching(/^tools\.jsonl:4: /),
      'tools.jsonl:5: the tool needs a name.',
      'Nothing is registered.',
    ]);
    expect(await countOf(api)).toBe(0);
  });

  test('lists twenty problems, and counts the others', async () => {
    const { errors } = await register(fileOf('{"name":""}\n'.repeat(25)));
    expect(errors).toHaveLength(22);
    expect(errors.slice(-2)).toEqual(['And 5 more problems.', 'Nothing is registered.']);
  });

  test('registers nothing if the registry refuses a tool, even one far behind', async () => {
    const { url, api } = await start();
    const taken = {
      tools: ['a', 'b'].map((server) => ({
        tool: { name: 'tool_900', description: 'Another', inputSchema: { type: 'object' } },
        backend: { kind: 'local', handler: server },
      })),
    };
    await fetch(`${api}/tools`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tools: [taken.tools[0]] }),
    });
    const { code, errors } = await register(fileOf(tools(1_000)), '--registry', url);
    expect(code).toBe(1);
    expect(errors).toEqual([expect.stringMatching(/^tools\.jsonl:901.*: .+/), 'Nothing is registered.']);
    expect(await countOf(api)).toBe(1);
  });

  test('takes its token from the environment, and says where it looks', async () => {
    const token = 'a-token-of-the-team';
    const { url } = await start({
      tokens: [{ name: 'team', token, tenant: 'default', rights: ['read', 'write'], namespaces: ['shop'] }],
    });
    const file = fileOf(tools(1));
    const words = [file, '--registry', url, '--namespace', 'shop'];
    vi.stubEnv('TOKEN', undefined);
    expect((await register(...words)).errors[0]).toMatch(/The token is read from the variable TOKEN\.$/);
    vi.stubEnv('TOKEN', token);
    expect((await register(...words)).code).toBe(0);
    const { code, errors } = await register(file, '--registry', url, '--namespace', 'other');
    expect(code).toBe(1);
    expect(errors.join()).not.toContain(token);
    vi.unstubAllEnvs();
  });

  test('names what is wrong with the command, the file and the registry', async () => {
    const file = fileOf(tools(1));
    for (const [words, says] of [
      [[], 'one FILE is needed.'],
      [[file, '--backend', 'http'], '--backend takes local'],
      [[file, '--registry', 'shop'], '--registry takes an address'],
      [[file, '--namespace', 'My shop'], '--namespace takes'],
      [[file, '--nmespace', 'x'], "Unknown option '--nmespace'"],
    ] as const) {
      const { code, errors } = await register(...words);
      expect([code, errors[0]]).toEqual([2, expect.stringContaining(says)]);
    }
    expect(await register('--help')).toMatchObject({ code: 0, errors: [] });
    expect((await register(join(folder, 'none'))).errors[0]).toMatch(/none cannot be read\.$/);
    const { url, close } = await start();
    await close();
    expect((await register(file, '--registry', url)).errors).toEqual([
      `${url} cannot be reached (ECONNREFUSED).`,
      'Nothing is registered.',
    ]);
  });
});
