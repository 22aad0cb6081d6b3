import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeRecords } from './make-records.ts';

const ENTRY = resolve(import.meta.dirname, '../bin/winnow-report.cjs');
const RECORDS = makeRecords({ seed: 4, exchanges: 200, reasons: ['rollout_shadow'] });

// Each run starts a process, which takes seconds on a machine that has much else to do.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-command-'));
  writeFileSync(
    join(folder, 'records.jsonl'),
    RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], nodeArgs: readonly string[] = []) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [...nodeArgs, ENTRY, ...args], options, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('the command', () => {
  test('prints tables, writes the page, and names it; nothing else is in stderr', async () => {
    const { code, stdout, stderr } = await run(['records.jsonl']);
    expect(code).toBe(0);
    expect(stdout).toContain('Verdict: shadow → partial');
    expect(stderr).toBe('Page: tool_discovery.html\n');
    expect(readFileSync(join(folder, 'tool_discovery.html'), 'utf8')).toContain('id="data">{"about"');
  });

  test('prints JSON for machines, and writes nothing unasked', async () => {
    rmSync(join(folder, 'tool_discovery.html'), { force: true });
    const { code, stdout, stderr } = await run(['records.jsonl', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 2,
      traffic: { exchanges: 200 },
      verdict: { step: 'shadow', next: 'partial' },
      thresholds: { missedShare: 0.1 },
    });
    expect(stderr).toBe('');
    expect(readdirSync(folder)).toEqual(['records.jsonl']);
  });

  test('takes prices from a file, and says what is wrong with one', async () => {
    const prices = join(folder, 'prices.json');
    writeFileSync(
      prices,
      JSON.stringify({ currency: 'EUR', models: { 'gpt-5.2': { input: 1, output: 2 } } }),
    );
    const good = await run(['records.jsonl', '--json', '--prices', 'prices.json']);
    expect(JSON.parse(good.stdout).money).toMatchObject({
      currency: 'EUR',
      pricedModels: { top: [{ name: 'gpt-5.2' }] },
    });
    writeFileSync(prices, JSON.stringify({ currency: 'EUR', models: { 'gpt-5.2': { input: 1 } } }));
    const bad = await run(['records.jsonl', '--prices', 'prices.json']);
    rmSync(prices);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/^prices\.json is not a table of prices at models\.gpt-5\.2\.output: /);
  });

  test('prints suggestions alone', async () => {
    const record = readFileSync(join(folder, 'records.jsonl'), 'utf8').split('\n')[0]!;
    const lines = Array.from({ length: 30 }, (_, at) =>
      JSON.stringify({
        ...JSON.parse(record),
        ...{ session: `s${at}`, status: 200, outcome: 'answered', called: ['send'] },
        ...{ tools: { total: 9, deferred: 8, loaded: 1 }, toolList: { id: 'l' } },
        ...{ arm: 'full', planReason: 'deferred', agent: { id: 'a', name: 'cli' } },
      }),
    );
    const list = { version: 1, event: 'tool_list', time: '2026-11-20T08:00:00.000Z', id: 'l' };
    lines.unshift(JSON.stringify({ ...list, tools: [{ name: 'send', bytes: 400 }] }));
    writeFileSync(join(folder, 'calls.jsonl'), lines.join('\n'));
    const { code, stdout } = await run(['calls.jsonl', '--suggest']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Suggestions/);
    expect(stdout).toContain('30 of 30 conversations');
    expect(stdout).not.toContain('Verdict');
    expect(existsSync(join(folder, 'tool_discovery.html'))).toBe(false);
  });

  test('ends with 2 and the usage for a command line that cannot be understood', async () => {
    const { code, stdout, stderr } = await run(['--sinse', '24h', 'records.jsonl']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('--sinse');
    expect(stderr).toContain('Usage: winnow-report');
  });

  test('ends with 1 for a file that is not there, for no record, and for a page that cannot be written', async () => {
    expect(await run(['none.jsonl'])).toMatchObject({ code: 1, stderr: 'none.jsonl: no such file\n' });
    const { code, stdout } = await run(['/dev/null', '--no-html']);
    expect(code).toBe(1);
    expect(stdout).toContain('No record was found.');
    const unwritten = await run(['records.jsonl', '--html', 'no/such/folder.html']);
    expect(unwritten.code).toBe(1);
    expect(unwritten.stdout).toContain('Verdict');
    expect(unwritten.stderr).toContain('no/such/folder.html cannot be written');
  });

  test('says which Node it needs to one that is too old', async () => {
    const past = join(folder, 'past.cjs');
    writeFileSync(past, `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`);
    const { code, stdout, stderr } = await run(['records.jsonl'], ['--require', past]);
    rmSync(past);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe('winnow-report needs Node 24 or newer; this is 20.20.2.\n');
  });
});
