import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf as attachKeyOf } from '../apps/attach/src/catalogue/tool-catalogue.ts';
import { createMemoryStore } from '../apps/attach/src/guard/attach-store.ts';
import { RepeatedRequests } from '../apps/attach/src/http/repeated-requests.ts';
import { Catalogues } from '../apps/selector/src/catalogues.ts';
import { keyOf as vectorKeyOf } from '../packages/embeddings/src/vectors.ts';
import { offersAmong } from '../packages/mcp/src/front-door/offers/offer-directory.ts';
import type { McpServers } from '../packages/mcp/src/servers/mcp-servers.ts';
import { sightOf } from '../packages/registry/src/content/tool-filter.ts';
import { makeRegistry, registration } from '../packages/registry/test/make-registry.ts';
import { readSourceFiles } from './source-files.ts';

/**
 * Every cache of every service, by file: key → value. Rows with `Map` are caches in plain maps; of the others, the test below counts as many in
 * the file. `apps/proxy/test/cache-keys.test.ts` tries the keys of the proxy, and the tests here those of the other services.
 */
const CACHES: Readonly<Record<string, readonly string[]>> = {
  'apps/proxy/src/strategies/preload.ts': [
    'known: deferrable tools of one list, by identity → names, by the hash of the first message',
    'results: the same, made',
    '#built: hash of a list of tools → its index',
    'Map #building: the same key → the index that is being built',
  ],
  'apps/proxy/src/strategies/never-defer.ts': [
    'tool section, plain names by identity → choices, by what is kept',
  ],
  'apps/proxy/src/strategies/plan-with-search.ts': [
    'described: name of the search tool, deferrable names → the tool',
  ],
  'apps/proxy/src/strategies/policy.ts': [
    'heads: settings of a head → the policy; one map for one set of settings',
  ],
  'apps/proxy/src/strategies/relevance.ts': ['knownTokens: a parsed tool, by identity → its words'],
  'apps/proxy/src/strategies/agents.ts': [
    '#agents: hash of tools, model and credential → what is counted of the agent',
  ],
  'apps/proxy/src/strategies/load-modes.ts': [
    '#refused: upstream, model, tenant → when it refused native loading',
    '#unchanging: the same → that the list cannot change',
    '#billed: the same → that deferred tools are billed',
    '#said: the same → that the log says so',
  ],
  'apps/proxy/src/exchange/loop-progress.ts': ['#refused: upstream, model, edit → that it was refused'],
  'apps/proxy/src/search/local.ts': ['held: hash of the tools and their names → their index'],
  'apps/proxy/src/in-process/open-engine.ts': ['known: vendor, origin → the upstream'],
  'apps/proxy/src/sessions/notes.ts': ['beginnings: a beginning as text → the same text'],
  'apps/proxy/src/records/record-sink.ts': ['#writtenAt: hash of a list of tools → when it was written'],
  'apps/proxy/src/log/log.ts': ['written: an event with all its fields → when it was written'],
  'packages/wire/src/remember-by.ts': [
    'made: a parsed object, by identity, and the other arguments → the result',
    'Map #results: the bridge tool and names of tools of one list → the text of their definitions',
  ],
  'packages/wire/src/joining/read-event.ts': ['parsed: an event, by identity → its value'],
  'packages/wire/src/bridge/judge-call.ts': ['plain: a schema, by identity → the schema without annotations'],
  'packages/wire/src/anthropic-messages/anthropic-bedrock.ts': ['#frames: an event, by identity → its frame'],
  'packages/core/src/text/kept-json.ts': ['TEXTS: a parsed object, by identity → its text'],
  'packages/core/src/text/definitions/describe-definitions.ts': ['known: a tool, by identity → its line'],
  'packages/service/src/create-http-server.ts': ['#ofSocket: a connection, by identity → its responses'],
  'packages/clients/src/selector/selector-client.ts': [
    'held: hash of the tools, for one selector → that it holds them',
  ],
  'packages/embeddings/src/background-embedding.ts': [
    '#known: a source of texts, by identity → the model that learnt it',
  ],
  'packages/embeddings/src/vector-calls.ts': [
    '#refused: hash of a text → that the model refuses it',
    'Map #coming: the same key → the call for its vector',
  ],
  'packages/embeddings/src/vectors.ts': [
    '#vectors: hash of a text → its vector, for one model',
    '#ids: a numbering of texts, by identity → its number',
    '#tables: that number → the vectors by number, for one model and dimension',
  ],
  'packages/registry/src/search/built-in-searcher.ts': [
    '#byTable: a table, by identity → positions left out, by the hash of filter and sight',
  ],
  'packages/registry/src/search/kept-lists.ts': [
    'Map #lists: version, hash of query, filter and sight → the result',
  ],
  'packages/registry/src/changes/plan-server-list.ts': [
    'Map #known: a definition, by identity → its prepared form',
  ],
  'packages/registry/src/content/tool-filter.ts': [
    'Map known: a namespace, for one sight → whether it is in sight',
  ],
  'packages/mcp/src/front-door/offers/offer-directory.ts': [
    'known: servers, by identity → offers, by what is seen of them; rebuilt when an offer changes',
  ],
  'packages/mcp/src/servers/kept-connection.ts': [
    'Map #held: caller, session → its connection to one server',
  ],
  'apps/registry/src/http/registry-route.ts': ['#views: a caller, by identity → the registry in its sight'],
  'apps/registry/src/mcp/front-doors.ts': ['Map #opened: a caller, by identity → its front door'],
  'apps/selector/src/callers.ts': ['#certificateScopes: a connection, by identity → its scope'],
  'apps/selector/src/catalogues.ts': [
    'senders: scope → that it has sent the tools; others are not told that they are held',
    'Map #entries: hash of the tools as sent → their index and vectors',
    'Map #builds: the same key → the index that is being built',
    'Map #hashById: scope, catalog_id → hash of the tools',
  ],
  'apps/selector/src/meaning-by-caller.ts': [
    'tables: a catalogue, by identity → its vectors, of one dimension',
  ],
  'apps/selector/src/registry-content.ts': [
    'Map #excluded: namespace, for one catalogue → positions left out',
  ],
  'apps/attach/src/guard/attach-store.ts': [
    'keys: hash of caller and idempotency key → hash of the body, and the response',
    'plans: plan id, which cannot be guessed → the plan of one agent',
  ],
  'apps/attach/src/http/repeated-requests.ts': [
    'Map #running: caller, hash of the body → the response to come',
  ],
  'apps/attach/src/catalogue/tool-catalogue.ts': ['Map #entries: id, or server and name → the tool'],
};

test('every cache is listed, with its key and value', () => {
  const files = readSourceFiles('{apps/{proxy,selector,registry,attach},packages/*}/src/**/*.ts');
  const found = files
    .filter(({ path }) => !path.includes('/testkit/'))
    .flatMap(({ path, text }) => {
      const count = text.match(/new (?:RecentMap|WeakMap)\b/g)?.length ?? 0;
      return count === 0 ? [] : [[path, count]];
    });
  const listed = Object.entries(CACHES).map(([path, rows]) => [
    path,
    rows.filter((row) => !row.startsWith('Map ')).length,
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed.filter(([, count]) => count !== 0)));
  for (const path of Object.keys(CACHES)) expect(files.map((file) => file.path)).toContain(path);
});

/** Names that meet where a key joins its parts without care. */
const word = fc.constantFrom('a', 'b', 'a/b', 'a:b', 'a b', 'a&b', '%2F', '', '"]', 'a\n');

describe('two inputs that differ in what a value depends on share no entry', () => {
  test('catalogues at the selector: by their tools, and ids by scope', async () => {
    const tool = fc.record({ name: fc.constantFrom('read', 'write'), description: word });
    const tools = fc.array(fc.record({ ...{ name: fc.constantFrom('read', 'write'), description: word } }), {
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(tools, tools, tool, async (left, right, more) => {
        const catalogues = new Catalogues({
          ...{ maxBytes: 1e9, maxCatalogues: 99, now: () => 0, onBuilt() {} },
          pause: async () => {},
        });
        const sent = [left, right, [...left, more]];
        const texts = sent.map((one) => JSON.stringify(one));
        const cached = [];
        for (const one of sent) cached.push((await catalogues.find(one as never, one)).cached);
        for (const [at, one] of cached.entries())
          for (const [other, second] of cached.entries())
            expect(one === second).toBe(texts[at] === texts[other]);
        const scopes = ['aa', 'bb'];
        const { hash } = await catalogues.find(left as never, left);
        catalogues.bind({ scope: scopes[0]!, id: more.description }, hash);
        expect(catalogues.findById({ scope: scopes[1]!, id: more.description })).toBeUndefined();
        expect(catalogues.findById({ scope: scopes[0]!, id: `${more.description}x` })).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  test('results of the registry: by query, filter, limit and sight', async () => {
    const registry = await makeRegistry();
    const names = ['read_issue', 'close_issue', 'list_issues'];
    const spaces = ['', 'a', 'b', 'a.b'];
    const tools = spaces.flatMap((namespace) =>
      names.map((name) =>
        registration(name, { ...(namespace !== '' && { namespace }), tags: [namespace === '' ? 'x' : 'y'] }),
      ),
    );
    expect((await registry.register(tools)).ok).toBe(true);
    const search = fc.record({
      sight: fc.subarray(['*', 'a', 'a*', 'b', '?']),
      query: fc.constantFrom('issue', 'read issue', 'close', ''),
      limit: fc.integer({ min: 1, max: 3 }),
      filter: fc.record(
        {
          namespaces: fc.subarray(['a', 'b', 'a.b']),
          tags: fc.subarray(['x', 'y']),
          tagsAll: fc.subarray(['x', 'y']),
          exclude: fc.subarray(['a:read_issue', 'read_issue']),
          category: fc.constantFrom('x', 'y'),
        },
        { requiredKeys: [] },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(search, { minLength: 2, maxLength: 4 }), async (searches) => {
        const shared = await makeRegistry();
        await shared.register(tools);
        for (const { sight, query, ...options } of searches) {
          const alone = await makeRegistry();
          await alone.register(tools);
          const of = async (one: typeof shared) => {
            const page = await one.within(sightOf(sight)).search(query, options);
            return page.ok && { tools: page.tools, total: page.totalMatches };
          };
          expect(await of(shared)).toEqual(await of(alone));
        }
      }),
      { numRuns: 40 },
    );
  });

  test('offers of the front door: by what is seen of their servers', () => {
    const server = fc.record({
      name: word,
      namespace: word,
      prefix: fc.option(word, { nil: undefined }),
      trustsAnnotations: fc.boolean(),
    });
    const seen = fc.uniqueArray(server, { selector: ({ name }) => name, maxLength: 3 });
    const offer = { kind: 'prompt', key: 'p', definition: { name: 'p' } };
    const make = () => ({ offersVersion: 1, offersOf: () => [offer] }) as unknown as McpServers;
    fc.assert(
      fc.property(fc.array(seen, { minLength: 2, maxLength: 4 }), (sets) => {
        const shared = make();
        for (const set of sets)
          expect(offersAmong(shared, set).directory.all).toEqual(offersAmong(make(), set).directory.all);
      }),
    );
  });

  test('tools that Letta may register: by server and name', () => {
    fc.assert(
      fc.property(word, word, word, word, (server, name, other, second) => {
        const isSame = server === other && name === second;
        expect(attachKeyOf({ server, name }) === attachKeyOf({ server: other, name: second })).toBe(isSame);
      }),
      { numRuns: 1_000 },
    );
  });

  test('responses of attach: by caller, key and body', async () => {
    const request = fc.record({
      scope: word,
      key: fc.constantFrom(undefined, 'a', 'b', 'a b'),
      body: fc.record({ x: word }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 5 }), async (requests) => {
        const store = createMemoryStore(() => 0);
        const repeated = new RepeatedRequests({ store, onStoreFailure() {} });
        for (const { scope, key, body } of requests) {
          const headers = key === undefined ? {} : { 'idempotency-key': key };
          const own = JSON.stringify([scope, body]);
          const answered = await repeated
            .answer({ headers }, { scope, body }, async () => own as never)
            .catch(() => undefined);
          // The same key with another body is a conflict.
          if (answered !== undefined) expect(answered.response).toBe(own);
        }
      }),
    );
  });

  test('vectors: by text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(vectorKeyOf(one) === vectorKeyOf(other)).toBe(one === other);
      }),
    );
  });
});
