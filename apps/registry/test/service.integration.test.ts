import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, makeEpoch, type RegistryStore } from '@winnow/registry';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../src/config.ts';
import { startRegistry } from '../src/server.ts';
import { ask, countingId, memoryStore, register, start, tool } from './start.ts';

async function makeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'winnow-registry-app-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'registry.sqlite');
}

const codeOf = (body: Record<string, unknown>) => (body.error as { code: string }).code;

const TOKENS = [
  { name: 'reader', token: 'token-of-a-reader', tenant: 'default', rights: ['read'], namespaces: undefined },
  {
    name: 'writer',
    token: 'token-of-a-writer',
    tenant: 'default',
    rights: ['read', 'write'],
    namespaces: ['mine-*'],
  },
  {
    name: 'watcher',
    token: 'token-of-a-watcher',
    tenant: 'default',
    rights: ['metrics'],
    namespaces: undefined,
  },
] as const;
const as = (name: string) => ({ authorization: `Bearer token-of-a-${name}` });

describe('the service', () => {
  test('R37: keeps what it confirmed over a restart', async () => {
    const sqliteFile = await makeFile();
    const first = await start({ sqliteFile });
    await register(first, [tool('a', { namespace: 'n' })]);
    const { body: stats } = await ask('GET', `${first.api}/stats`);
    await first.close();
    const again = await start({ sqliteFile });
    expect((await ask('GET', `${again.api}/stats`)).body).toMatchObject({
      version: 1,
      tools: 1,
      epoch: stats.epoch,
      index_hash: stats.index_hash,
    });
    expect((await ask('POST', `${again.api}/search`, { query: 'handles' })).body).toMatchObject({
      total_matches: 1,
    });
  });

  test('R37: a damaged file stops the start, with its name and what to do', async () => {
    const sqliteFile = await makeFile();
    await writeFile(sqliteFile, 'this is no database at all, whatever it may be called');
    await expect(start({ sqliteFile })).rejects.toThrow(`${sqliteFile} is damaged: restore a backup`);
  });

  test('R37: a full disk refuses changes with 507, and keeps serving reads', async () => {
    const memory = createMemoryStore({ makeEpoch: () => makeEpoch(countingId) });
    let isFull = false;
    const store: RegistryStore = {
      ...memory,
      async openScope(name) {
        const scope = await memory.openScope(name);
        return {
          ...scope,
          epoch: scope.epoch,
          transact: (work) =>
            isFull
              ? scope
                  .transact(async (base) => ({ ...(await work(base)), changes: [] }))
                  .then(() => ({ ok: false, code: 'storage_full' }))
              : scope.transact(work),
        };
      },
    };
    const service = await start({}, { store });
    await register(service, [tool('a')]);
    isFull = true;
    const { status, body } = await ask('PUT', `${service.api}/tools`, { tools: [tool('b')] });
    expect([status, codeOf(body)]).toEqual([507, 'storage_full']);
    expect((await ask('POST', `${service.api}/search`, { query: 'handles' })).body).toMatchObject({
      total_matches: 1,
    });
    isFull = false;
    expect(await register(service, [tool('b')])).toMatchObject({ version: 2 });
  });

  test('R38: the epoch lasts as long as the store: a cursor of memory is stale after a restart', async () => {
    const first = await start({}, { store: memoryStore() });
    await register(first, [tool('a'), tool('b')]);
    const { body } = await ask('GET', `${first.api}/tools?page_size=1`);
    await first.close();
    const again = await start({}, { store: memoryStore() });
    const stale = await ask('GET', `${again.api}/tools?cursor=${body.next_cursor}`);
    expect([stale.status, codeOf(stale.body)]).toEqual([409, 'stale_cursor']);
    expect((await ask('GET', `${again.api}/changes?since=1`)).status).toBe(409);
  });

  test('R75: says that it is starting until everything that is stored is read', async () => {
    let open = (_: RegistryStore) => {};
    const opening = new Promise<RegistryStore>((resolve) => {
      open = resolve;
    });
    // The store is there, and takes its time to open a scope.
    const memory = memoryStore();
    const store: RegistryStore = { ...memory, openScope: async (name) => (await opening).openScope(name) };
    const port = await freePort();
    const starting = startRegistry(
      { ...DEFAULT_SETTINGS, sqliteFile: ':memory:', port, drainTimeoutMs: 100 },
      {
        now: () => 0,
        wallClock: () => 0,
        makeId: () => 'id',
        randomId: countingId,
        writeLog: () => {},
        store,
      },
    );
    onTestFinished(async () => {
      await (await starting).close();
    });
    const url = `http://127.0.0.1:${port}`;
    const probe = async () => ask('GET', `${url}/readyz`).catch(() => undefined);
    let ready = await probe();
    while (ready === undefined) ready = await probe();
    expect([ready.status, ready.body.error]).toEqual([
      503,
      { code: 'overloaded', message: 'The registry is starting.' },
    ]);
    expect((await ask('GET', `${url}/healthz`)).status).toBe(200);
    expect((await ask('GET', `${url}/v1/registry/stats`)).body.error).toEqual({
      code: 'overloaded',
      message: 'The registry is starting.',
    });
    open(memory);
    await starting;
    expect((await ask('GET', `${url}/readyz`)).body).toEqual({ status: 'ready' });
  });

  test('R75: starting twice over one file is an error, and leaves the first alone', async () => {
    const sqliteFile = await makeFile();
    const first = await start({ sqliteFile });
    await expect(start({ sqliteFile })).rejects.toThrow(`${sqliteFile} is in use by another process`);
    expect(await register(first, [tool('a')])).toMatchObject({ version: 1 });
  });

  test('R75: statistics count what there is', async () => {
    const { api } = await start();
    await register({ api }, [
      tool('a', { namespace: 'n' }),
      tool('a', { namespace: 'n', backend: { kind: 'mcp', server: 's' } }),
      tool('b'),
    ]);
    await ask('POST', `${api}/search`, { query: 'handles' });
    await ask('POST', `${api}/search`, { query: 'handles' });
    expect((await ask('GET', `${api}/stats`)).body).toEqual({
      version: 1,
      epoch: expect.stringMatching(/^[0-9a-f]{16}$/),
      tools: 2,
      backends: 3,
      namespaces: 2,
      index_bytes: expect.any(Number),
      index_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      result_cache: { hits: 1, misses: 1, lists: 1 },
      servers: { disabled: 0, connecting: 0, up: 0, down: 0 },
    });
  });

  test('tokens have rights, and an error names a missing one', async () => {
    const service = await start({ tokens: TOKENS });
    const put = (name: string) =>
      ask('PUT', `${service.api}/tools`, { tools: [tool('a', { namespace: 'mine-1' })] }, as(name));
    expect((await put('writer')).status).toBe(200);
    expect(codeOf((await put('reader')).body)).toBe('forbidden');
    expect((await put('reader')).status).toBe(403);
    expect((await put('stranger')).status).toBe(401);
    expect((await ask('GET', `${service.api}/tools`)).status).toBe(401);
    expect((await ask('GET', `${service.api}/tools`, undefined, as('watcher'))).status).toBe(403);
    expect((await ask('GET', `${service.url}/metrics`, undefined, as('reader'))).status).toBe(403);
    expect((await fetch(`${service.url}/metrics`, { headers: as('watcher') })).status).toBe(200);
  });

  test('a token changes no namespace that it may not see', async () => {
    const service = await start({ tokens: TOKENS });
    const put = (namespace: string) =>
      ask('PUT', `${service.api}/tools`, { tools: [tool('a', { namespace })] }, as('writer'));
    expect((await put('mine-1')).status).toBe(200);
    for (const namespace of ['theirs', '', 'mine']) {
      const { status, body } = await put(namespace);
      expect([status, codeOf(body)]).toEqual([403, 'forbidden']);
    }
  });

  test('without tokens it answers to localhost only, whatever name a browser was led to', async () => {
    const service = await start();
    const { port } = new URL(service.url);
    const { status, body } = await rawGet(Number(port), '/v1/registry/stats', 'evil.example:8789');
    expect([status, codeOf(body)]).toEqual([403, 'forbidden']);
    expect((await rawGet(Number(port), '/v1/registry/stats', `localhost:${port}`)).status).toBe(200);
  });

  test('logs say who asked and how it went, and hold no content', async () => {
    const service = await start({ tokens: TOKENS });
    await register(
      service,
      [tool('secret_name', { namespace: 'mine-1', description: 'Secret text' })],
      as('writer'),
    );
    await ask('POST', `${service.api}/search`, { query: 'secret query' }, as('reader'));
    await service.close();
    const lines = service.logs();
    expect(lines).toMatchObject([
      { event: 'request', route: 'register', status: 200, caller: 'writer', tools: 1, version: 1 },
      {
        event: 'request',
        route: 'search',
        status: 200,
        caller: 'reader',
        queryChars: 12,
        searchType: 'keyword',
        found: 1,
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|token-of/i);
  });

  test('metrics report all tenants together', async () => {
    const tokens = [
      ...TOKENS,
      {
        name: 'other',
        token: 'token-of-a-other',
        tenant: 'other',
        rights: ['read', 'write'],
        namespaces: undefined,
      },
    ] as const;
    const service = await start({ tokens });
    await register(service, [tool('a', { namespace: 'mine-1' })], as('writer'));
    await register(service, [tool('a'), tool('b')], as('other'));
    await ask('POST', `${service.api}/search`, { query: 'zzz' }, as('other'));
    const text = await (await fetch(`${service.url}/metrics`, { headers: as('watcher') })).text();
    for (const line of [
      'winnow_registry_tools 3',
      'winnow_registry_search_seconds_count 1',
      'winnow_requests_total{service="registry",route="register",status="200"} 2',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toContain('tenant');
  });

  test('a path that is known with another method names those that it has', async () => {
    const { api, url } = await start();
    const wrong = await ask('POST', `${api}/tools`, {});
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'PUT, GET, HEAD']);
    expect((await ask('DELETE', `${api}/tools/x/examples`)).headers.get('allow')).toBe('PUT');
    expect((await ask('GET', `${url}/v1/registry`)).status).toBe(404);
    expect((await fetch(`${api}/stats`, { method: 'HEAD' })).status).toBe(200);
  });

  test('a body that is too large, in another encoding or not JSON by its type is refused', async () => {
    const { api } = await start({ maxBodyBytes: 1_000 });
    expect((await ask('PUT', `${api}/tools`, { tools: ['x'.repeat(1_000)] })).status).toBe(413);
    expect((await ask('PUT', `${api}/tools`, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await ask('PUT', `${api}/tools`, '{}', { 'content-encoding': 'compress' })).status).toBe(415);
    expect((await ask('PUT', `${api}/tools`, new Uint8Array([0x7b, 0xff, 0x7d]))).status).toBe(400);
  });

  test('every response is as the description says, and every route is in it', async () => {
    const { url, api } = await start();
    const { body } = await ask('GET', `${url}/openapi.json`);
    const paths = Object.keys(body.paths as object);
    for (const path of [
      '/tools',
      '/tools/{id}',
      '/tools/{id}/examples',
      '/search',
      '/expand',
      '/namespaces',
      '/stats',
      '/usage',
      '/changes',
    ]) {
      expect(paths).toContain(`/v1/registry${path}`);
    }
    const refs = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    );
    const schemas = Object.keys((body.components as { schemas: object }).schemas);
    expect(refs.filter((name) => !schemas.includes(name))).toEqual([]);
    const page = await fetch(`${url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await ask('GET', `${api}/stats`)).status).toBe(200);
  });
});

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** A request with a host of its own, which `fetch` does not allow. */
async function rawGet(
  port: number,
  path: string,
  host: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, host: '127.0.0.1', headers: { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
    });
    sent.on('error', reject).end();
  });
}
