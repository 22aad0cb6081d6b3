import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoredRecord } from '@winnow/core';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startParleyUpstream } from './add-a-format/parley-upstream.ts';
import { findFreePort, startProcess } from './deploy/start-process.ts';

/**
 * The cost of a new vendor and a new format: a folder, a file, and a line in each of two lists. A copy of the
 * tree gets both, is type-checked, and serves requests.
 */

const ROOT = join(import.meta.dirname, '..');
const NODE = join(ROOT, 'node_modules/.bin/node');

let copy: string;
let changed: readonly string[];

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'winnow copy '));
  copySources(copy);
  const before = filesOf(copy);
  cpSync(join(ROOT, 'test/add-a-format/packages'), join(copy, 'packages'), { recursive: true });
  addToList('packages/wire/src/formats.ts', './parley/parley.ts', 'parley');
  addToList('packages/wire/src/vendors.ts', './vendors/guild.ts', 'guild');
  const after = filesOf(copy);
  changed = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
  return () => rmSync(copy, { recursive: true });
});

describe('an unknown vendor and an unknown format', () => {
  test('cost a folder, a file, and a line in each list', () => {
    expect(changed.filter((path) => !path.startsWith('packages/wire/src/parley/')).sort()).toEqual([
      'packages/wire/src/formats.ts',
      'packages/wire/src/vendors.ts',
      'packages/wire/src/vendors/guild.ts',
    ]);
  });

  test('pass the types', () => {
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [], { cwd: copy });
    expect(stdout.toString()).toBe('');
    expect(status).toBe(0);
  }, 120_000);

  test.each([
    ['streamed', 'stream'],
    ['whole', 'talk'],
  ])('have their tools deferred and searches answered, %s', async (_, manner) => {
    const upstream = await startParleyUpstream();
    const proxy = await startProxy(upstream.url);
    const response = await fetch(`${proxy.url}/mine/parley/sage-3:${manner}?indent=2`, {
      method: 'POST',
      body: REQUEST,
    });
    expect(response.status).toBe(200);
    const body = await response.text();
    expect(body).not.toContain('gateway_search_tools');
    const pieces = manner === 'stream' ? (JSON.parse(body) as object[]) : [];
    expect(manner === 'stream' ? Object.assign({}, ...pieces.slice(1)) : JSON.parse(body)).toEqual({
      words: manner === 'stream' ? 'I send it.' : 'One moment. I send it.',
      ...(manner === 'stream' ? { ask: CALL } : { asks: [CALL] }),
      over: { why: 'asks', counted: { in: 20, out: 4 } },
    });
    expect(upstream.requests.map(({ url, pass }) => [url, pass])).toEqual([
      [`/parley/sage-3:${manner}`, 'own-key'],
      [`/parley/sage-3:${manner}`, 'own-key'],
    ]);
    const sent = upstream.requests.map(({ body: { equipment } }) =>
      equipment.map(({ abilities }) => abilities?.map(({ label }) => label)),
    );
    // The first container has lost all of its tools, the second one of two.
    expect(sent[0]).toEqual([undefined, ['gateway_search_tools']]);
    expect(sent[1]).toEqual([undefined, ['gateway_search_tools', 'mail_send']]);
    expect(upstream.requests[1]!.body.dialogue.map(({ who }) => who)).toEqual(['person', 'machine', 'tool']);

    const metrics = await (await fetch(`${proxy.url}/_winnow/metrics`)).text();
    expect(metrics).toMatch(/winnow_proxy_exchanges_total\{[^}]*format="parley"[^}]*\} 1/);
    await proxy.stop();
    const line = readFileSync(proxy.records, 'utf8').trim().split('\n').at(-1);
    expect(StoredRecord.parse(JSON.parse(line!))).toMatchObject({
      format: 'parley',
      model: 'sage-3',
      planReason: 'deferred',
    });
    expect(reportOn(proxy.records)).toMatch(/"exchanges": ?1/);
  });

  test('have errors of their own shape, and every setting', async () => {
    const proxy = await startProxy('http://127.0.0.1:1');
    const dead = await fetch(`${proxy.url}/mine/parley/sage-3:talk`, { method: 'POST', body: REQUEST });
    expect(dead.status).toBe(502);
    expect(await dead.json()).toMatchObject({ trouble: { kind: 'upstream_unreachable' } });
    // Its paths lead to its built-in upstream, without a prefix.
    expect(proxy.output()).toContain('Guild clients:');
    expect(proxy.output()).toContain('/guild/… goes to https://api.guild.example');
  });
});

const CALL = { ticket: 't2', tool: 'mail_send', with: {} };

const REQUEST = JSON.stringify({
  dialogue: [{ who: 'person', words: 'Send a mail.' }],
  equipment: [
    { abilities: ['mail_send', 'calendar_read'].map(ability) },
    { lookup: {}, abilities: ['file_read', 'file_write'].map(ability).slice(0, 1) },
    { abilities: ['clock_now'].map(ability) },
  ],
});

function ability(label: string) {
  return { label, purpose: `Does ${label}.`, takes: { type: 'object' } };
}

/** Starts the copy's proxy with the invented vendor's upstream at this address. */
async function startProxy(upstream: string) {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-parley-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const port = await findFreePort();
  const records = join(folder, 'records.jsonl');
  const config = join(folder, 'winnow.yaml');
  writeFileSync(
    config,
    `upstreams: { mine: { base_url: "${upstream}", format: guild, api_key: own-key } }\n`,
  );
  const proxy = startProcess({
    command: [NODE, 'apps/proxy/src/main.ts', '--config', config],
    environment: {
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: String(port),
      PROXY_RECORDS_FILE: records,
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
    },
    folder: copy,
  });
  await proxy.says(/goes to https:\/\/api\.guild/);
  return { ...proxy, records, url: `http://127.0.0.1:${port}` };
}

function reportOn(records: string): string {
  const args = ['apps/report/src/main.ts', records, '--json'];
  const { stdout, stderr } = spawnSync(NODE, args, { cwd: copy });
  return `${stdout}${stderr}`;
}

/** The sources without their tests, and the files that they import from elsewhere. */
function copySources(target: string): void {
  for (const path of globSync('{apps,packages}/*', { cwd: ROOT })) {
    mkdirSync(join(target, path), { recursive: true });
    for (const part of readdirSync(join(ROOT, path)).filter((name) => !LEFT_OUT.includes(name))) {
      cpSync(join(ROOT, path, part), join(target, path, part), { recursive: true });
    }
    linkModules(join(ROOT, path, 'node_modules'), join(target, path, 'node_modules'));
  }
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, file), join(target, file));
  linkModules(join(ROOT, 'node_modules'), join(target, 'node_modules'));
}

const LEFT_OUT = ['node_modules', 'test'];

/** Links to third-party packages; Winnow's own packages are the copy's. */
function linkModules(from: string, to: string): void {
  for (const name of globSync('{*,@*/*}', { cwd: from })) {
    const isScope = name.startsWith('@') && !name.includes('/');
    if (isScope) continue;
    mkdirSync(join(to, name, '..'), { recursive: true });
    const own = name.startsWith('@winnow/') ? homeOf(name.slice('@winnow/'.length)) : undefined;
    if (name.startsWith('@winnow/') && own === undefined) continue;
    symlinkSync(own === undefined ? join(from, name) : join(copy, own), join(to, name));
  }
}

function homeOf(name: string): string | undefined {
  return globSync(`{apps,packages}/${name}`, { cwd: ROOT })[0];
}

/** Adds an import and a name to a list: the one line that a format or a vendor needs. */
function addToList(path: string, module: string, name: string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  const longer = text.replace(/(= \[[^\]]+?),?(\s*)\]/, `$1, ${name}$2]`);
  expect(longer).not.toBe(text);
  writeFileSync(join(copy, path), `import { ${name} } from '${module}';\n${longer}`);
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const paths = globSync('{apps,packages}/**/*.{ts,json}', {
    cwd: folder,
    exclude: (path) => path.includes('node_modules'),
  });
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}
