import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExchangeRecord } from '@winnow/contract';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../examples/traffic/main.ts');

test('the demo traffic goes through the services with the settings that it is given, and leaves records', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-traffic-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'records.jsonl');
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--conversations', '3'], {
    env: { ...process.env, PROXY_RECORDS_FILE: file, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
  });
  expect(stdout).toMatch(/^3 conversations .* 0 failed; the strict upstream rejected 0 requests\.\n$/);
  const records = readFileSync(file, 'utf8').trimEnd().split('\n');
  const strategies = records.map((line) => ExchangeRecord.parse(JSON.parse(line)).strategy);
  expect(new Set(strategies)).toEqual(new Set(['tool-search']));
});
