import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readServers } from '@winnow/mcp';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, start } from '../start.ts';
import { FAILING, type Revision } from './failing.ts';
import { FIXTURE_TOOLS, startFixture } from './fixture-server.ts';

/** The conformance suite of the protocol's vendor, asked of a server with everything and of the front door before it. */

const SUITE = join(
  import.meta.dirname,
  '../../../../node_modules/.cache/winnow-mcp-servers/node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const run = promisify(execFile);

/** Runs all scenarios of a revision; returns the outcome of each check as `scenario: check`. */
async function runSuite(url: string, revision: Revision): Promise<ReadonlyMap<string, Check>> {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-conformance-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = [SUITE, 'server', '--url', url, '--requirements', revision, '--output-dir', folder];
  // It ends with an error where a check fails.
  await run(process.execPath, args, { maxBuffer: 2 ** 26 }).catch((error) => {
    if (typeof error.code !== 'number') throw error;
  });
  const checks = new Map<string, Check>();
  for (const name of readdirSync(folder).sort()) {
    const scenario = name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, '');
    const made = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
    for (const check of made) {
      const id = `${scenario}: ${check.id}`;
      // A check that is made several times counts as its worst outcome.
      if (checks.get(id)?.status !== 'FAILURE') checks.set(id, check);
    }
  }
  return checks;
}

/** The front door of a registry before the server. */
async function startDoor(server: string): Promise<string> {
  const { entries, problems } = readServers(
    JSON.stringify({ mcpServers: { fixture: { url: server, namespace: '' } } }),
    {},
  );
  expect(problems).toEqual([]);
  const { url, api } = await start({ servers: entries, alwaysLoaded: FIXTURE_TOOLS });
  await vi.waitFor(async () => expect((await ask('GET', `${api}/servers/fixture`)).body.state).toBe('up'), {
    timeout: 30_000,
    interval: 50,
  });
  return `${url}/mcp`;
}

const failedOf = (checks: ReadonlyMap<string, Check>) =>
  [...checks].filter(([, { status }]) => status === 'FAILURE').map(([id]) => id);

describe.each(['2025-11-25', '2026-07-28'] as const)('the conformance suite, revision %s', (revision) => {
  test('R82: passes through the front door, but for what is listed with its reason', {
    tags: ['mcp-conformance'],
    timeout: 240_000,
  }, async () => {
    const fixture = await startFixture();
    onTestFinished(() => fixture.close());
    const checks = await runSuite(await startDoor(fixture.url), revision);
    expect(checks.size).toBeGreaterThan(50);
    expect(failedOf(checks).sort()).toEqual(FAILING[revision].flatMap(({ checks: listed }) => listed).sort());
  });
});
