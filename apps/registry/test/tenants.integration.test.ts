import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStore, makeEpoch, type RegistryStore } from '@winnow/registry';
import { createRandom, type Random } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TokenSetting } from '../src/http/callers.ts';
import { ask, countingId, memoryStore, start, type TestRegistry, tool } from './start.ts';

const TOKENS: readonly TokenSetting[] = [
  { name: 'a', token: 'token-of-tenant-a', tenant: 'a', rights: ['read', 'write'], namespaces: undefined },
  { name: 'b', token: 'token-of-tenant-b', tenant: 'b', rights: ['read', 'write'], namespaces: undefined },
];

const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** One thing that a tenant may do, and what it is told; without what is random or a time by nature. */
type Step = (service: TestRegistry, token: string, state: { cursor?: string }) => Promise<unknown>;

/** Few, so that tenants often have the same. */
const NAMES = ['t0', 't1', 't2', 't3'];
const NAMESPACES = ['', 'one'];

/** Everything that there is to be told of in the end. */
const LOOKS: readonly Step[] = [
  ...NAMES.flatMap((name) => [`/tools/${name}?detail=full`, `/tools/one:${name}?detail=full`]),
  '/tools?page_size=100',
  '/namespaces',
  '/stats',
  '/search-tool?format=mcp',
].map(
  (path): Step =>
    async (service, token) => {
      const { status, body } = await ask('GET', `${service.api}${path}`, undefined, as(token));
      return { status, body };
    },
);

/** A step, decided by chance before it is taken, so that it can be taken again elsewhere. */
function randomStep(random: Random): Step {
  const name = random.pick(NAMES);
  const namespace = random.pick(NAMESPACES);
  const id = namespace === '' ? name : `${namespace}:${name}`;
  const version = String(random.below(3));
  const handler = random.pick(['h1', 'h2']);
  const category = random.pick(['one', 'two', version]);
  const query = random.pick(['handles', 't3', 'one', 'zzz', '', id]);
  const told = async (method: string, path: string, service: TestRegistry, token: string, body?: unknown) => {
    const response = await ask(method, `${service.api}${path}`, body, as(token));
    return { status: response.status, body: response.body, etag: response.headers.get('etag') };
  };
  return random.pick<Step>([
    (service, token) =>
      told('PUT', '/tools', service, token, {
        tools: [tool(name, { namespace, version, tags: [version], backend: { kind: 'local', handler } })],
      }),
    (service, token) => told('DELETE', `/tools/${id}`, service, token),
    (service, token) => told('GET', `/tools/${id}?detail=full`, service, token),
    (service, token) => told('GET', `/tools?page_size=3`, service, token),
    async (service, token, state) => {
      const response = await told(
        'GET',
        `/tools?page_size=2${state.cursor ? `&cursor=${state.cursor}` : ''}`,
        service,
        token,
      );
      const { next_cursor: next, ...rest } = response.body;
      if (typeof next === 'string') state.cursor = next;
      return { ...response, body: rest };
    },
    (service, token) => told('GET', '/namespaces', service, token),
    (service, token) => told('GET', '/stats', service, token),
    (service, token) =>
      told('POST', '/search', service, token, { query, include: ['metadata'], page_size: 3 }),
    (service, token) => told('POST', '/expand', service, token, { ids: [id, name] }),
    (service, token) => told('POST', '/usage', service, token, { ids: [id] }),
    (service, token) => told('GET', `/tools/${id.replace(':', '__')}`, service, token),
    (service, token) => told('GET', `/tools?tag=${version}&include=schemas`, service, token),
    (service, token) => told('GET', '/search-tool?format=anthropic', service, token),
    (service, token) =>
      told('POST', '/search-tool/search', service, token, {
        format: 'openai-chat',
        arguments: { query, category_filter: category },
      }),
    (service, token) =>
      told('POST', '/search', service, token, {
        query: 't*',
        always_keep: [id],
        filters: { tags: [version] },
      }),
    (service, token) =>
      told('PUT', `/tools/${id}/examples`, service, token, { examples: [{ title: 'One', arguments: {} }] }),
    (service, token) =>
      told('DELETE', `/tools/${id}?backend=${JSON.stringify({ kind: 'local', handler })}`, service, token),
    (service, token) =>
      told('PUT', '/tools', service, token, { tools: [tool('bad name'), tool(name, { namespace })] }),
  ]);
}

/** Everything that was ever told about changes, without times. */
async function feedOf(service: TestRegistry, token: string): Promise<string> {
  const leave = new AbortController();
  const response = await fetch(`${service.api}/changes?since=0`, {
    headers: as(token),
    signal: leave.signal,
  });
  const { value = new Uint8Array() } = await response.body!.getReader().read();
  leave.abort();
  return `${response.headers.get('winnow-registry-version')} ${Buffer.from(value).toString()}`;
}

/** Takes out what is random in any registry: epochs, cursors, and times. */
function comparable(value: unknown): string {
  return JSON.stringify(value).replace(
    /"(epoch|next_cursor)":"[^"]*"|"execution_time_ms":[\d.]+|"cache":"\w+"/g,
    (text) => text.split(':')[0]!,
  );
}

/** Stores that each keep their tenants apart in a way of their own. Each call of what they give opens another one, empty. */
const STORES: Readonly<Record<string, () => Promise<() => Promise<RegistryStore>>>> = {
  memory: async () => async () => memoryStore(),
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-tenants-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let files = 0;
    return () =>
      createSqliteStore({
        file: join(folder, `${++files}.sqlite`),
        makeEpoch: () => makeEpoch(countingId),
      });
  },
};

describe('two tenants', () => {
  test.each(Object.keys(STORES))(
    'R24: nothing of one is in any response, error, count, cursor, version or event of the other, in %s',
    async (name) => {
      const openStore = await STORES[name]!();
      const random = createRandom(24);
      for (let round = 0; round < 3; round++) {
        // What tenant a is told in company must be what it is told when it is alone.
        const shared = await start({ tokens: TOKENS }, { store: await openStore() });
        const alone = await start({ tokens: TOKENS }, { store: await openStore() });
        const [inCompany, byItself, other] = [{}, {}, {}];
        for (let step = 0; step < 120; step++) {
          const take = randomStep(random);
          if (random.chance(0.5)) {
            await take(shared, 'token-of-tenant-b', other);
            continue;
          }
          const [left, right] = [
            await take(shared, 'token-of-tenant-a', inCompany),
            await take(alone, 'token-of-tenant-a', byItself),
          ];
          expect(comparable(left)).toBe(comparable(right));
        }
        for (const look of LOOKS) {
          const [left, right] = [
            await look(shared, 'token-of-tenant-a', {}),
            await look(alone, 'token-of-tenant-a', {}),
          ];
          expect(comparable(left)).toBe(comparable(right));
        }
        expect(await feedOf(shared, 'token-of-tenant-a')).toBe(await feedOf(alone, 'token-of-tenant-a'));
        await Promise.all([shared.close(), alone.close()]);
      }
    },
    120_000,
  );

  test('R24: a cursor of one is invalid for the other', async () => {
    const service = await start({ tokens: TOKENS }, { store: memoryStore() });
    for (const { token } of TOKENS) {
      await ask('PUT', `${service.api}/tools`, { tools: [tool('a'), tool('b')] }, as(token));
    }
    const { body } = await ask('GET', `${service.api}/tools?page_size=1`, undefined, as(TOKENS[0]!.token));
    const crossed = await ask(
      'GET',
      `${service.api}/tools?cursor=${body.next_cursor}`,
      undefined,
      as(TOKENS[1]!.token),
    );
    expect([crossed.status, (crossed.body.error as { code: string }).code]).toEqual([400, 'invalid_cursor']);
    const found = await ask(
      'POST',
      `${service.api}/search`,
      { query: 'handles', page_size: 1 },
      as(TOKENS[0]!.token),
    );
    const other = await ask(
      'POST',
      `${service.api}/search`,
      { query: 'handles', cursor: found.body.next_cursor },
      as(TOKENS[1]!.token),
    );
    expect((other.body.error as { code: string }).code).toBe('invalid_cursor');
  });

  test('R80: R24: a token that is limited to namespaces gets the same responses whether others have tools or not', async () => {
    const random = createRandom(240);
    const limited: TokenSetting = {
      name: 'few',
      token: 'token-of-the-few',
      tenant: 'a',
      rights: ['read', 'write'],
      namespaces: ['one'],
    };
    const tokens = [TOKENS[0]!, limited];
    const [crowded, quiet] = [
      await start({ tokens }, { store: memoryStore() }),
      await start({ tokens }, { store: memoryStore() }),
    ];
    const withoutVersions = (value: unknown) =>
      comparable(value).replace(/\\?"version\\?":\d+/g, (text) => text.split(':')[0]!);
    for (let step = 0; step < 250; step++) {
      const take = randomStep(random);
      if (random.chance(0.3)) {
        // The other token changes what is out of sight, here alone.
        const name = `t${random.below(8)}`;
        await ask(
          'PUT',
          `${crowded.api}/tools`,
          { tools: [tool(name, { namespace: random.pick(['', 'two']) })] },
          as(TOKENS[0]!.token),
        );
        continue;
      }
      const told = [
        withoutVersions(await take(crowded, limited.token, {})),
        withoutVersions(await take(quiet, limited.token, {})),
      ];
      // Scores are made of how often words stand in all tools; what is found, counted and named is not.
      const plain = told.map((text) => text.replace(/"relevance_score":[\d.]+/g, ''));
      expect(plain[0]).toBe(plain[1]);
    }
  }, 120_000);
});
