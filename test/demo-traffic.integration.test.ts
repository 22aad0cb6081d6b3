import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExchangeRecord } from '@winnow/core';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../examples/traffic/main.ts');

test('the demo traffic goes through the services with the settings that it is given, and leaves records', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-traffic-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'records.jsonl');
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--conversations', '3'], {
    env: { ...process.env, PROXY_RECORDS_FILE: file, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
  });
  const [, needs, served, unserved, failed] = stdout
    .match(/(\d+) of them in need of a tool: (\d+) got .*, (\d+) did not, (\d+) ended in an error\./)!
    .map(Number);
  expect(needs).toBe(served! + unserved! + failed!);
  expect(served).toBeGreaterThan(0);
  expect(failed).toBe(0);
  expect(stdout).toMatch(/rejected 0 requests\.\n$/);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'exchange');
  const strategies = records.map((record) => ExchangeRecord.parse(record).strategy);
  expect(new Set(strategies)).toEqual(new Set(['tool-search']));
});

test('the demo traffic says how many never got the tool that they needed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-traffic-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Without a search tool and with few kept tools, most needs cannot be served, and no request fails because
  // of that.
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--conversations', '6'], {
    env: {
      ...process.env,
      PROXY_RECORDS_FILE: join(folder, 'records.jsonl'),
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'relevance',
      PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '0',
      PROXY_PIPES_TOOL_DISCOVERY_MAX_TOOLS: '1',
    },
  });
  expect(Number(/, (\d+) did not,/.exec(stdout)![1])).toBeGreaterThan(0);
});
