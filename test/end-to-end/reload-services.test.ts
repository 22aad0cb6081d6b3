import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../deploy/start-process.ts';
import { ROOT } from '../source-files.ts';

const [OLD, NEW, FOREIGN] = ['old-token-of-16-or-more', 'new-token-of-16-or-more', 'foreign-token-of-16'];

/** Starts a service with files in a folder of their own; `write` replaces one of them at once. */
async function start(name: string, files: Readonly<Record<string, string>>, environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-reload-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = (file: string) => join(folder, file);
  const write = (file: string, text: string) => {
    writeFileSync(place('next'), text.replaceAll('FOLDER', folder));
    renameSync(place('next'), place(file));
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const running = startProcess({
    command: [process.execPath, join(ROOT, `apps/${name}/src/main.ts`), '--config', place('winnow.yaml')],
    environment: { [`${name.toUpperCase()}_SERVER_PORT`]: '0', ...environment },
    folder,
  });
  const [, url = ''] = await running.says(/listens on (http:\S+?),/);
  const ask = (path: string, token: string, body?: unknown) =>
    fetch(url + path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  return { ...running, url, write, ask, hangUp: () => process.kill(running.pid, 'SIGHUP') };
}

/** A pattern for a text. */
const literally = (text: string) => new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));

const SEARCH = { pattern: 'weather', tools: [{ name: 'get_weather' }] };

test('the selector takes over tokens, and nothing of a bad file', async () => {
  const { write, ask, hangUp, says, output } = await start('selector', {
    token: OLD,
    'winnow.yaml': `server: { tokens: "\${file:FOLDER/token}" }`,
  });
  const statuses = async () =>
    await Promise.all(
      [OLD, NEW].map(async (key) => (await ask('/v1/tool-discovery/search', key, SEARCH)).status),
    );
  expect(await statuses()).toEqual([200, 401]);
  write('token', NEW);
  await says(literally('"event":"settings_reloaded","changed":["server.tokens"],"needsRestart":[]'));
  expect(await statuses()).toEqual([401, 200]);
  write('winnow.yaml', `server: { tokens: ${NEW} }\nranker: wink`);
  hangUp();
  await says(literally('"changed":[],"needsRestart":["ranker"]'));
  expect(await statuses()).toEqual([401, 200]);
  write('winnow.yaml', 'server: { port: lots }');
  hangUp();
  await says(/"settings_refused","problems":\[".*Line 1: server.port must be/);
  expect(await statuses()).toEqual([401, 200]);
  expect(output()).not.toContain(NEW);
});

test('attach takes over tokens and limits, and refuses a mixture that is open to everybody', async () => {
  const { write, ask, hangUp, says } = await start('attach', {
    'winnow.yaml': `server: { tokens: ${OLD}, host: 0.0.0.0 }`,
  });
  const status = async (key: string) => (await ask('/api/v1/tools/attach', key, {})).status;
  expect([await status(OLD), await status(NEW)]).toEqual([503, 401]);
  write(
    'winnow.yaml',
    `server: { tokens: ${NEW}, host: 0.0.0.0 }\nmax_total_tools: 40\nletta: { base_url: "http://127.0.0.1:9" }`,
  );
  hangUp();
  await says(literally('"changed":["server.tokens","max_total_tools"],"needsRestart":["letta.base_url"]'));
  expect([await status(OLD), await status(NEW)]).toEqual([401, 503]);
  write('winnow.yaml', 'server: { host: 127.0.0.1 }');
  hangUp();
  await says(/"settings_refused","problems":\["server.tokens must be set when server.host can be reached/);
  expect([await status(OLD), await status(NEW)]).toEqual([401, 503]);
});

const tokensOf = (...entries: readonly (readonly [name: string, token: string, more?: string])[]) =>
  entries
    .map(([name, token, more = '']) => `${name}: { token: ${token}, rights: [read, write]${more} }`)
    .join('\n');

test('the registry takes over tokens, ends what a withdrawn one has open, and names new tenants', async () => {
  const { write, ask, says } = await start('registry', {
    'winnow.yaml': 'sqlite: { file: ":memory:" }\ntokens_file: FOLDER/tokens.yaml',
    'tokens.yaml': tokensOf(['a', OLD]),
  });
  const status = async (key: string) => (await ask('/v1/registry/tools', key)).status;
  expect([await status(OLD), await status(NEW)]).toEqual([200, 401]);
  const following = await ask('/v1/registry/changes', OLD);
  expect(following.status).toBe(200);
  write('tokens.yaml', tokensOf(['a', OLD], ['b', NEW], ['c', FOREIGN, ', tenant: other']));
  await says(literally('"changed":["tokens_file"],"needsRestart":["tokens_file (tenant other)"]'));
  expect([await status(OLD), await status(NEW), await status(FOREIGN)]).toEqual([200, 200, 401]);
  write('tokens.yaml', 'b: { token: short }');
  await says(/"settings_refused","problems":\["\S+tokens.yaml: b.token must be/);
  expect(await status(NEW)).toBe(200);
  write('tokens.yaml', tokensOf(['b', NEW]));
  await says(literally('"changed":["tokens_file"],"needsRestart":[]'));
  expect([await status(OLD), await status(NEW)]).toEqual([401, 200]);
  const tool = { name: 'hello', description: 'Says hello', inputSchema: { type: 'object' } };
  const registered = await fetch(following.url.replace('changes', 'tools'), {
    method: 'PUT',
    headers: { authorization: `Bearer ${NEW}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tools: [{ namespace: 'a', tool, backend: { kind: 'local', handler: 'hello' } }] }),
  });
  expect(registered.status, await registered.text()).toBe(200);
  expect(await following.text()).not.toContain('hello');
});
