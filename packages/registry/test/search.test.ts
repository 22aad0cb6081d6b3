import { bm25, type Ranker } from '@winnow/ranking';
import { createRandom } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import {
  type Registration,
  type Registry,
  type Searcher,
  type SearchOptions,
  sightOf,
} from '../src/index.ts';
import { formatToolId } from '../src/model/tool-names.ts';
import { BuiltInSearcher } from '../src/search/built-in-searcher.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';
import { describeSearcher } from './searcher-contract.ts';
import { storedTools } from './stored-tools.ts';

const noPause = async () => {};

describeSearcher('built-in', () => new BuiltInSearcher(noPause));

/** A registry with tools. */
async function registryOf(...tools: readonly Registration[]): Promise<Registry> {
  const registry = await makeRegistry();
  expectOk(await registry.register(tools));
  return registry;
}

const idsOf = async (registry: Registry, query: string, options: SearchOptions = {}) =>
  expectOk(await registry.search(query, options)).tools.map((tool) => tool.id);

const say = (description: string, more: Record<string, unknown> = {}) => ({ tool: { description, ...more } });

describe('finding', () => {
  test.each([
    ['its name', 'invoices', registration('create_invoice', say('x'))],
    ['a part of an identifier', 'Pull Request', registration('openPullRequest', say('x'))],
    ['its namespace', 'jira', registration('create', { namespace: 'jira', ...say('x') })],
    ['its title', 'letter', registration('send', say('x', { title: 'Send a letter' }))],
    ['its description', 'weather', registration('get', say('Current weather of a place'))],
    ['its tags', 'billing', registration('get', { tags: ['Billing'], ...say('x') })],
    [
      'the name of a parameter',
      'assignee',
      registration('set', say('x', { inputSchema: { properties: { assignee: {} } } })),
    ],
    [
      'the text of a parameter',
      'repository',
      registration(
        'set',
        say('x', { inputSchema: { properties: { a: { description: 'The repository' } } } }),
      ),
    ],
    [
      'a value of an enumeration',
      'fortnightly',
      registration(
        'set',
        say('x', { inputSchema: { properties: { a: { enum: ['daily', 'fortnightly'] } } } }),
      ),
    ],
  ])('R17: finds a tool by %s', async (_, query, tool) => {
    const registry = await registryOf(tool, registration('unrelated', say('Nothing of the sort')));
    const id = formatToolId({ namespace: tool.namespace ?? '', name: tool.tool.name });
    expect((await idsOf(registry, query))[0]).toBe(id);
    expect((await idsOf(registry, query.toUpperCase()))[0]).toBe(id);
  });

  test('R17: a name weighs more than a namespace, that more than a description or a tag, that more than a parameter', async () => {
    const registry = await registryOf(
      registration('ledger_open', { namespace: 'first', ...say('Filler') }),
      registration('alpha_open', { namespace: 'ledger', ...say('Filler') }),
      registration('beta_open', { namespace: 'third', ...say('Filler for a ledger') }),
      registration('gamma_open', { namespace: 'third', tags: ['ledger'], ...say('Filler') }),
      registration('delta_open', {
        namespace: 'fourth',
        ...say('Filler', { inputSchema: { properties: { a: { description: 'ledger' } } } }),
      }),
    );
    const { tools } = expectOk(await registry.search('ledger'));
    const order = tools.map((tool) => tool.id);
    expect(order.slice(0, 2)).toEqual(['first:ledger_open', 'ledger:alpha_open']);
    expect(order.slice(2, 4).sort()).toEqual(['third:beta_open', 'third:gamma_open']);
    expect(order[4]).toBe('fourth:delta_open');
  });

  test('R18: ids, model names, names prefixed with a server and plain names come first, in the order written', async () => {
    const registry = await registryOf(
      registration('create_issue', { namespace: 'jira' }),
      registration('create_issue', { namespace: 'github', backend: { kind: 'mcp', server: 'gh' } }),
      registration('send_message', { namespace: 'slack' }),
      registration('issue_creator', say('Create issue create issue create an issue')),
    );
    expect(await idsOf(registry, 'slack:send_message')).toEqual(['slack:send_message']);
    expect(
      (await idsOf(registry, 'please use gh__create_issue and slack__send_message to create issue')).slice(
        0,
        2,
      ),
    ).toEqual(['github:create_issue', 'slack:send_message']);
    // A name that several tools have names all of them.
    expect((await idsOf(registry, 'with create_issue')).slice(0, 2)).toEqual([
      'github:create_issue',
      'jira:create_issue',
    ]);
    const [first] = expectOk(await registry.search('JIRA:create_issue')).tools;
    expect(first).toMatchObject({
      id: 'jira:create_issue',
      relevanceScore: 1,
      matchedOn: expect.arrayContaining(['exact_name']),
    });
  });

  test('R19: the same query at the same version has the same response, also in another registry', async () => {
    const tools = Array.from({ length: 60 }, (_, n) =>
      registration(`t${n}`, say(`Handles ${'order '.repeat(n % 4)}of number ${n % 3}`)),
    );
    const [one, other] = [await registryOf(...tools), await registryOf(...tools)];
    for (const query of ['order', 'number 2', 't5', 'nothing at all', 't.*']) {
      const options = { pageSize: 100 };
      const first = expectOk(await one.search(query, options));
      expect(expectOk(await one.search(query, options))).toEqual({ ...first, cache: 'hit' });
      const { nextCursor: _, ...elsewhere } = expectOk(await other.search(query, options));
      expect(elsewhere).toEqual({ ...first, nextCursor: undefined });
    }
  });

  test('R19: a later tool is never more relevant, and scores have at most three decimals', async () => {
    const registry = await registryOf(
      ...Array.from({ length: 30 }, (_, n) =>
        registration(`t${n}`, say(`Send ${'a letter '.repeat(n % 7)} now`)),
      ),
    );
    const { tools } = expectOk(await registry.search('t7 send a letter now', { pageSize: 100 }));
    const scores = tools.map((tool) => tool.relevanceScore);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBe(1);
    for (const score of scores) expect(Math.round(score * 1_000)).toBeCloseTo(score * 1_000, 9);
  });

  test('R20: a page has its size, all pages together the limit, and the library takes zero', async () => {
    const registry = await registryOf(...Array.from({ length: 30 }, (_, n) => registration(`tool_${n}`)));
    expect((await idsOf(registry, 'handles')).length).toBe(10);
    expect((await idsOf(registry, 'handles', { pageSize: 25 })).length).toBe(25);
    const first = expectOk(await registry.search('handles', { pageSize: 4, limit: 6 }));
    expect(first.totalMatches).toBe(30);
    const second = expectOk(
      await registry.search('handles', { pageSize: 4, limit: 6, cursor: first.nextCursor! }),
    );
    expect([first.tools.length, second.tools.length, second.nextCursor]).toEqual([4, 2, undefined]);
    expect(expectOk(await registry.search('handles', { limit: 0 })).tools).toEqual([]);
    expect(expectOk(await registry.search('handles', { pageSize: 0 })).tools).toEqual([]);
    for (const options of [
      { pageSize: 101 },
      { pageSize: -1 },
      { pageSize: 1.5 },
      { limit: 1_001 },
      { limit: Number.NaN },
    ]) {
      expect(await registry.search('handles', options)).toMatchObject({ ok: false, code: 'invalid_request' });
    }
  });

  test.each(['', '  ', '\n\t'])('R21: the empty query %j lists by id, up to the limit', async (query) => {
    const registry = await registryOf(
      ...['c', 'a', 'b'].map((name) => registration(name, { tags: [name === 'b' ? 'x' : 'y'] })),
    );
    expect(await idsOf(registry, query)).toEqual(['a', 'b', 'c']);
    expect(await idsOf(registry, query, { limit: 2 })).toEqual(['a', 'b']);
    expect(await idsOf(registry, query, { filter: { tags: ['y'] } })).toEqual(['a', 'c']);
    expect(expectOk(await registry.search(query, { limit: 1 }))).toMatchObject({
      totalMatches: 3,
      noMatch: false,
    });
  });

  test('R22: nothing found is an empty list that names the nearest namespaces', async () => {
    const registry = await registryOf(
      ...[
        'salesforce',
        'sales-reports',
        'github',
        'gitlab',
        'slack',
        'a',
        'git.one',
        'git.two',
        'git.three',
        'git.four',
        'logic',
      ].map((namespace) => registration('x', { namespace, ...say('Filler') })),
    );
    const found = expectOk(await registry.search('gitqqqqqqq'));
    expect(found).toMatchObject({ tools: [], noMatch: true, totalMatches: 0 });
    // A word of theirs is nearer than the beginning of a longer one; then their names decide.
    expect(found.nearestNamespaces).toEqual(['git.four', 'git.one', 'git.three', 'git.two', 'github']);
    expect(expectOk(await registry.search('filler')).nearestNamespaces).toEqual([]);
    expect(expectOk(await (await makeRegistry()).search('anything'))).toMatchObject({
      tools: [],
      noMatch: true,
    });
  });

  test('a search that shares next to nothing with any tool is weak, and says which words none contains', async () => {
    const registry = await registryOf(
      registration('send_message', { namespace: 'chat', ...say('Send a message to a channel.') }),
      registration('post_later', { namespace: 'chat', ...say('Send to a channel at a given time.') }),
      registration('wash', { namespace: 'launderer', ...say('Wash shirts.') }),
    );
    const query = 'launch rocket channel';
    const weak = expectOk(await registry.search(query));
    expect(weak).toMatchObject({
      tools: [{ id: 'chat:send_message' }, { id: 'chat:post_later' }],
      noMatch: false,
      certainty: 'weak',
      unknownWords: ['launch', 'rocket'],
      nearestNamespaces: ['launderer', 'chat'],
    });
    for (const { confidence } of weak.tools) expect(confidence).toBeLessThan(0.1);
    // Each page says it.
    const first = expectOk(await registry.search(query, { pageSize: 1 }));
    const second = expectOk(await registry.search(query, { pageSize: 1, cursor: first.nextCursor! }));
    expect(second).toMatchObject({ certainty: 'weak', tools: [{ id: 'chat:post_later' }] });
    // What it may not see has no part in that.
    const limited = registry.within(sightOf(['chat']));
    expect(expectOk(await limited.search(query))).toMatchObject({
      certainty: 'weak',
      unknownWords: ['launch', 'rocket'],
      nearestNamespaces: ['chat'],
    });

    const found = expectOk(await registry.search('send a message to a channel'));
    expect(found).toMatchObject({ certainty: 'found', unknownWords: [], nearestNamespaces: [] });
    expect(found.tools[0]!.confidence).toBeGreaterThan(0.5);
    expect(expectOk(await registry.search('chat:send_message'))).toMatchObject({ certainty: 'found' });
    expect(expectOk(await registry.search('qqqqqq zzzzzz'))).toMatchObject({
      certainty: 'none',
      unknownWords: ['qqqqqq', 'zzzzzz'],
    });
    expect(expectOk(await registry.search(''))).toMatchObject({ certainty: 'found' });
  });

  test('R23: every filter applies before ranking and before the limit', async () => {
    const registry = await registryOf(
      registration('one', {
        namespace: 'a',
        tags: ['x', 'y'],
        ...say('Send letter letter', { annotations: { readOnlyHint: true, cost: { cents: 2, of: [1] } } }),
      }),
      registration('two', {
        namespace: 'b',
        tags: ['x'],
        backend: { kind: 'mcp', server: 's' },
        ...say('Send letter'),
      }),
      registration('three', {
        backend: { kind: 'provider', provider: 'p', tool: 't' },
        ...say('Send a letter to many people at once'),
      }),
    );
    const find = (filter: NonNullable<SearchOptions['filter']>) =>
      idsOf(registry, 'letter', { filter, limit: 1 });
    expect(await find({})).toEqual(['a:one']);
    expect(await find({ namespaces: ['b'] })).toEqual(['b:two']);
    expect(await find({ namespaces: [''] })).toEqual(['three']);
    expect(await find({ tags: ['y', 'z'] })).toEqual(['a:one']);
    expect(await find({ tagsAll: ['X', 'y'] })).toEqual(['a:one']);
    expect(await find({ tagsAll: ['x', 'z'] })).toEqual([]);
    expect(await find({ servers: ['s'] })).toEqual(['b:two']);
    expect(await find({ kinds: ['provider'] })).toEqual(['three']);
    expect(await find({ annotations: { readOnlyHint: true } })).toEqual(['a:one']);
    expect(await find({ annotations: { readOnlyHint: false } })).toEqual([]);
    expect(await find({ annotations: { cost: { of: [1], cents: 2 } } })).toEqual(['a:one']);
    expect(await find({ annotations: { cost: { of: [1] } } })).toEqual([]);
    expect(await find({ exclude: ['a:one', 'b:two'] })).toEqual(['three']);
    expect(await find({ namespaces: [] })).toEqual([]);
    const { totalMatches } = expectOk(await registry.search('letter', { filter: { tags: ['x'] }, limit: 1 }));
    expect(totalMatches).toBe(2);
  });

  test('R23: a filter follows a tool as it changes', async () => {
    const registry = await registryOf(
      ...Array.from({ length: 20 }, (_, n) => registration(`t${n}`, { tags: ['x'] })),
    );
    const filter = { tags: ['x'] };
    const random = createRandom(23);
    const tagged = new Set(Array.from({ length: 20 }, (_, n) => `t${n}`));
    for (let step = 0; step < 80; step++) {
      const name = `t${random.below(20)}`;
      const isTagged = random.chance(0.5);
      if (random.chance(0.2)) await registry.unregister(name);
      else
        await registry.register([registration(name, { tags: isTagged ? ['x'] : [], version: String(step) })]);
      if ((await registry.get(name))?.tags.includes('x')) tagged.add(name);
      else tagged.delete(name);
      const found = await idsOf(registry, 'handles', { filter, pageSize: 100 });
      expect(found.toSorted()).toEqual([...tagged].sort());
    }
  });

  test('R24: what is out of sight is not ranked, not counted and not named', async () => {
    const registry = await registryOf(
      registration('letter_sender', { namespace: 'theirs', ...say('Send a letter letter letter') }),
      registration('send', { namespace: 'mine', ...say('Send a letter') }),
      registration('by_post', {
        namespace: 'theirs',
        backend: { kind: 'mcp', server: 'post' },
        ...say('Wait'),
      }),
      registration('plain', say('Send a letter')),
    );
    const mine = registry.within(sightOf(['mine', 'm?ne']));
    const found = expectOk(await mine.search('theirs:letter_sender letter'));
    expect(found).toMatchObject({ totalMatches: 1, noMatch: false, tools: [{ id: 'mine:send' }] });
    expect(expectOk(await mine.search('')).totalMatches).toBe(1);
    expect(expectOk(await mine.search('theirs')).nearestNamespaces).toEqual([]);
    expect(expectOk(await mine.search('letter', { alwaysKeep: ['theirs:letter_sender'] })).tools.length).toBe(
      1,
    );
    expect(expectOk(await mine.list()).rows.map((row) => row.id)).toEqual(['mine:send']);
    expect(expectOk(await mine.namespaces()).rows).toEqual([{ name: 'mine', tools: 1 }]);
    expect(await mine.stats()).toMatchObject({ tools: 1, backends: 1, namespaces: 1 });
    for (const name of ['theirs:letter_sender', 'theirs__letter_sender', 'plain']) {
      expect(await mine.get(name)).toBeUndefined();
      expect(await mine.backends(name)).toBeUndefined();
      expect(await mine.unregister(name)).toMatchObject({
        ok: false,
        code: 'not_found',
        problems: [{ message: 'There is no such tool.' }],
      });
      expect(await mine.setExamples(name, [])).toMatchObject({ code: 'not_found' });
      expect(expectOk(await mine.expand([name]))).toMatchObject({ tools: [], unknown: [name] });
    }
    // The refusal is the same whether there is such a tool or not.
    const change = (name: string) =>
      mine.register([registration(name, { namespace: 'theirs', tool: { title: 'Other' } })]);
    const outcomes = await Promise.all([change('letter_sender'), change('no_such')]);
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]).toMatchObject({ ok: false, code: 'forbidden' });
    expect(registry.idsOfServer('post')).toEqual(['theirs:by_post']);
    expect(mine.idsOfServer('post')).toEqual([]);
    const list = { server: 'own', namespace: 'theirs', tags: [], trustsAnnotations: false, tools: [] };
    expect(await mine.registerFromMcp(list)).toMatchObject({ ok: false, code: 'forbidden' });
    // `*` sees tools without a namespace too.
    expect(expectOk(await registry.within(sightOf(['*'])).search('')).totalMatches).toBe(4);
    expect(expectOk(await registry.within(sightOf([])).search('')).totalMatches).toBe(0);
  });

  test('R24: what one may see takes no place from another, and is no part of what another finds', async () => {
    const registry = await registryOf(
      ...['mine', 'theirs'].flatMap((namespace) =>
        ['a', 'b', 'c'].map((name) => registration(name, { namespace, ...say('Send a letter') })),
      ),
    );
    const [mine, theirs] = ['mine', 'theirs'].map((namespace) => registry.within(sightOf([namespace])));
    for (let round = 0; round < 2; round++) {
      for (const view of [mine!, theirs!]) {
        const found = expectOk(await view.search('letter'));
        expect(found.tools.map(({ id }) => id)).toEqual(
          ['a', 'b', 'c'].map((name) => `${view === mine ? 'mine' : 'theirs'}:${name}`),
        );
        expect(found.cache).toBe(round === 0 ? 'miss' : 'hit');
      }
    }
    // One that is not to be seen is not kept either.
    const kept = { limit: 2, alwaysKeep: ['theirs:c'] };
    const found = expectOk(await mine!.search('letter', { ...kept, pageSize: 2 }));
    expect(found.tools.map(({ id }) => id)).toEqual(['mine:a', 'mine:b']);
    expect(found.nextCursor).toBeUndefined();
  });

  test('R26: a searcher that fails or is late is stood in for by the built-in one, loudly', async () => {
    const degradations: unknown[] = [];
    const deadlines: AbortController[] = [];
    let behave: Searcher['search'];
    const searcher: Searcher = {
      name: 'engine',
      deterministic: true,
      bytes: 0,
      apply() {},
      search: (query, signal) => behave(query, signal),
    };
    const registry = await makeRegistry({
      searcher,
      deadline: (timeoutMs) => {
        expect(timeoutMs).toBe(250);
        const controller = new AbortController();
        deadlines.push(controller);
        return controller.signal;
      },
      onDegraded: (degradation) => degradations.push(degradation),
    });
    await registry.register(Array.from({ length: 30 }, (_, n) => registration(`tool_${n}`)));

    behave = async () => ({
      hits: [{ id: 'tool_3', score: 2, matchedOn: ['name'] }],
      totalMatches: 1,
      searchType: 'keyword',
      certainty: 'found',
      unknownWords: [],
    });
    expect(expectOk(await registry.search('anything')).tools.map((tool) => tool.id)).toEqual(['tool_3']);
    expect(degradations).toEqual([]);

    behave = async () => {
      throw new Error('the engine is down');
    };
    const failed = expectOk(await registry.search('handles tool'));
    expect(failed).toMatchObject({ totalMatches: 30, degraded: { searcher: 'engine', reason: 'failed' } });
    expect(failed.nextCursor).toBeUndefined();
    expect(expectOk(await registry.search('handles tool')).cache).toBe('miss');

    behave = () => new Promise(() => deadlines.at(-1)!.abort());
    const late = expectOk(await registry.search('handles tool'));
    expect(late).toMatchObject({ totalMatches: 30, degraded: { searcher: 'engine', reason: 'deadline' } });
    expect(degradations.length).toBe(3);
  });

  test('R27: searches on a changed registry share one index, and keep the one they began with', async () => {
    let [built, revised] = [0, 0];
    const counting: Ranker = {
      ...bm25,
      build(documents) {
        built++;
        return watch(bm25.build(documents));
      },
    };
    const watch = (index: ReturnType<Ranker['build']>): ReturnType<Ranker['build']> => ({
      ...index,
      rank: (query, options) => index.rank(query, options),
      revisions: {
        nextPosition: index.revisions!.nextPosition,
        revise: (change) => {
          revised++;
          return watch(index.revisions!.revise(change));
        },
        compact: (order) => watch(index.revisions!.compact(order)),
      },
    });
    // Nothing is indexed ahead of the searches.
    const searcher = new BuiltInSearcher(() => new Promise(() => {}), { ranker: counting });
    const [first, ...rest] = storedTools(40, 27);
    searcher.apply({ upserts: rest, removals: [] });
    const search = () =>
      searcher.search({ text: 'list', searchType: 'auto', filter: {}, filterKey: '', limit: 5, alsoIds: [] });
    const before = built;
    await Promise.all(Array.from({ length: 32 }, search));
    expect(built - before + revised).toBe(1);
    searcher.apply({ upserts: [first!], removals: [] });
    const counts = built + revised;
    const running = Array.from({ length: 32 }, search);
    searcher.apply({ upserts: [], removals: [first!.id] });
    const results = await Promise.all(running);
    expect(built + revised - counts).toBe(1);
    for (const result of results) expect(result).toEqual(results[0]);
  });

  test('R28: scores are those of an index that is built again, after any changes', async () => {
    const random = createRandom(28);
    const all = storedTools(200, 28);
    const changing = new BuiltInSearcher(noPause);
    const present = new Map<string, (typeof all)[number]>();
    const search = (searcher: BuiltInSearcher, text: string) =>
      searcher.search({ text, searchType: 'auto', filter: {}, filterKey: '', limit: 20, alsoIds: [] });
    for (let step = 0; step < (inject('isExhaustive') ? 40 : 10); step++) {
      const upserts = random.sample(all, random.between(1, 8));
      const removals = random
        .sample([...present.keys()], random.below(4))
        .filter((id) => !upserts.some((tool) => tool.id === id));
      changing.apply({ upserts, removals });
      for (const tool of upserts) present.set(tool.id, tool);
      for (const id of removals) present.delete(id);
      const anew = new BuiltInSearcher(noPause);
      anew.apply({ upserts: [...present.values()], removals: [] });
      for (const query of ['create an invoice for a customer', 'list', 'delete user', 'get_.*']) {
        expect(await search(changing, query)).toEqual(await search(anew, query));
      }
    }
  });

  test('R28: a change costs what it changes: the index is given the tools of the change and no others', async () => {
    const given: number[] = [];
    const watch = (index: ReturnType<Ranker['build']>): ReturnType<Ranker['build']> => ({
      ...index,
      size: index.size,
      bytes: index.bytes,
      rank: (query, options) => index.rank(query, options),
      revisions: {
        nextPosition: index.revisions!.nextPosition,
        revise(change) {
          given.push(change.added.length);
          return watch(index.revisions!.revise(change));
        },
        compact: (order) => watch(index.revisions!.compact(order)),
      },
    });
    const counting: Ranker = {
      ...bm25,
      build(documents) {
        given.push(documents.length);
        return watch(bm25.build(documents));
      },
    };
    const searcher = new BuiltInSearcher(noPause, { ranker: counting });
    const tools = storedTools(250, 280);
    searcher.apply({ upserts: tools, removals: [] });
    searcher.prepare();
    given.length = 0;
    for (let n = 0; n < 20; n++) {
      searcher.apply({ upserts: tools.slice(n, n + 1 + (n % 3)), removals: [tools[200 + n]!.id] });
      searcher.prepare();
    }
    expect(given).toEqual(Array.from({ length: 20 }, (_, n) => 1 + (n % 3)));
  });

  test('R71: searching is safe whatever the query holds', async () => {
    const registries = [
      await makeRegistry(),
      await registryOf(registration('only')),
      await registryOf(
        registration('no_text', { tool: { description: undefined } as never }),
        registration('b', say('')),
      ),
    ];
    const queries = [
      '!!!',
      '...',
      '🎟️',
      '\u202eabc\u202c',
      'שלום עולם',
      '\u0000',
      'a\u0000b',
      '\ud800',
      '(',
      '[',
      '*',
      '?',
      '.*',
      '(a+)+$',
      'select:',
      'select:only',
      '__proto__',
      'constructor',
      'x'.repeat(16_384),
      'word '.repeat(4_000),
      '\n\n',
    ];
    for (const registry of registries) {
      for (const query of queries) {
        for (const searchType of ['auto', 'keyword', 'regex', 'semantic', 'hybrid'] as const) {
          const found = expectOk(await registry.search(query, { searchType, limit: 1_000 }));
          expect(found.tools.length).toBeLessThanOrEqual(2);
          expect(['keyword', 'regex', 'glob']).toContain(found.searchType);
          expect(found.requestedSearchType).toBe(searchType);
        }
      }
    }
  });

  test('R72: the order of registrations changes nothing, a searched field does, and the order of tags does not', async () => {
    const random = createRandom(72);
    const tools = Array.from({ length: 40 }, (_, n) =>
      registration(`t${n}`, { namespace: `n${n % 3}`, tags: ['a', 'b'], ...say(`Handles order ${n % 7}`) }),
    );
    const hashOf = async (registry: Registry) => (await registry.stats()).indexHash;
    const base = await registryOf(...tools);
    const expected = await base.search('handles order 3', { pageSize: 100 });
    for (let round = 0; round < 5; round++) {
      const registry = await makeRegistry();
      for (const tool of random.sample(tools, tools.length)) await registry.register([tool]);
      expect(await hashOf(registry)).toBe(await hashOf(base));
      const found = expectOk(await registry.search('handles order 3', { pageSize: 100 }));
      expect(found).toEqual({ ...expectOk(expected), version: 40 });
    }
    const before = await hashOf(base);
    await base.register([
      registration('t0', { namespace: 'n0', tags: ['b', 'a'], ...say('Handles order 0') }),
    ]);
    expect(await hashOf(base)).toBe(before);
    for (const tool of [
      { namespace: 'n0', tags: ['a', 'c'], ...say('Handles order 0') },
      { namespace: 'n0', tags: ['a', 'b'], ...say('Handles order nothing') },
      { namespace: 'n0', tags: ['a', 'b'], ...say('Handles order 0', { title: 'T' }) },
      {
        namespace: 'n0',
        tags: ['a', 'b'],
        ...say('Handles order 0', { inputSchema: { properties: { q: {} } } }),
      },
    ]) {
      await base.register([registration('t0', tool)]);
      expect(await hashOf(base)).not.toBe(before);
    }
  });

  test('tools to keep count towards the limit, but never come first', async () => {
    const registry = await registryOf(
      registration('letter', say('Send a letter')),
      registration('letters', say('Send a letter to many people at once')),
      registration('other', say('Nothing of the sort')),
    );
    expect(await idsOf(registry, 'letter', { limit: 2, alwaysKeep: ['other'] })).toEqual(['letter', 'other']);
    expect(await idsOf(registry, 'letter', { limit: 1, alwaysKeep: ['other'] })).toEqual(['letter']);
    expect(await idsOf(registry, 'letter', { alwaysKeep: ['other', 'no_such'] })).toEqual([
      'letter',
      'letters',
      'other',
    ]);
    expect(await idsOf(registry, 'zzz', { alwaysKeep: ['other'] })).toEqual(['other']);
  });
});

describe('how sure a search is', () => {
  const WEATHER = registration('get_forecast', {
    namespace: 'weather',
    ...say('Gives the weather forecast of a city.'),
  });
  const ISSUE = registration('create_issue', {
    namespace: 'jira',
    ...say('Creates an issue with a title, labels and an assignee in a project.'),
  });

  test('R22: what clearly matches is found, chance matches are weak, and no match is none', async () => {
    const rates = ['traffic', 'noise', 'rent'].map((rate) =>
      registration(rate, say(`Shows the ${rate} of a city.`)),
    );
    const registry = await registryOf(WEATHER, ISSUE, ...rates);
    const certaintyOf = async (query: string) => {
      const { certainty, unknownWords } = expectOk(await registry.search(query));
      return [certainty, unknownWords];
    };
    expect(await certaintyOf('weather forecast')).toEqual(['found', []]);
    expect(await certaintyOf('jira__create_issue')).toEqual(['found', []]);
    expect(await certaintyOf('book a flight to a city in Portugal')).toEqual([
      'weak',
      expect.arrayContaining(['book', 'flight', 'Portugal']),
    ]);
    expect(await certaintyOf('qwrtzp')).toEqual(['none', ['qwrtzp']]);
    expect(await certaintyOf('')).toEqual(['found', []]);
  });

  test('R24: a limited sight gets the words that no visible tool contains', async () => {
    const registry = await registryOf(WEATHER, ISSUE);
    const limited = registry.within(sightOf(['jira']));
    const { certainty, unknownWords } = expectOk(await limited.search('the forecast of qwrtzp'));
    expect([certainty, unknownWords]).toEqual(['none', ['forecast', 'qwrtzp']]);
    expect(expectOk(await registry.search('qwrtzp')).unknownWords).toEqual(['qwrtzp']);
  });
});
