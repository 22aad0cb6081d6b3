import type { Searcher } from '@winnow/registry';
import { describe, expect, test } from 'vitest';
import { ask, register, start, tool } from './start.ts';

const codeOf = (body: Record<string, unknown>) => (body.error as { code: string }).code;

describe('searching over HTTP', () => {
  test('R19: the same query at the same version has the same response', async () => {
    const { api } = await start();
    await register(
      { api },
      Array.from({ length: 30 }, (_, n) => tool(`t${n}`, { namespace: `n${n % 3}` })),
    );
    const search = async () => {
      const { body } = await ask('POST', `${api}/search`, { query: 'handles', page_size: 30 });
      return body;
    };
    const first = await search();
    expect(await search()).toEqual(first);
    const ids = (first.tool_references as { id: string; relevance_score: number }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(30);
    const { body } = await ask('POST', `${api}/search`, { query: 'handles', include: ['metadata'] });
    expect(body.search_metadata).toMatchObject({
      search_type: 'keyword',
      requested_search_type: 'auto',
      query: 'handles',
      execution_time_ms: expect.any(Number),
      cache: 'hit',
      version: 1,
    });
  });

  test('R20: sizes out of range are refused, zero among them', async () => {
    const { api } = await start();
    for (const range of [
      { page_size: 0 },
      { page_size: 101 },
      { limit: 0 },
      { limit: 1_001 },
      { page_size: 1.5 },
    ]) {
      const { status, body } = await ask('POST', `${api}/search`, { query: 'x', ...range });
      expect([status, codeOf(body)]).toEqual([400, 'invalid_request']);
    }
    expect((await ask('POST', `${api}/search`, {})).status).toBe(400);
  });

  test('R22: nothing found is an empty list that names the nearest namespaces', async () => {
    const { api } = await start();
    await register({ api }, [tool('x', { namespace: 'salesforce', description: 'Filler' })]);
    expect((await ask('POST', `${api}/search`, { query: 'salesqqqqqqq' })).body).toEqual({
      tool_references: [],
      total_matches: 0,
      no_match: true,
      certainty: 'none',
      unknown_words: ['salesqqqqqqq'],
      nearest_namespaces: ['salesforce'],
    });
  });

  test('a weak match says so, with the words that no tool contains; confidence comes with scores', async () => {
    const service = await start();
    const { api } = service;
    await register({ api }, [tool('send_message', { description: 'Display a message in a channel.' })]);
    const query = 'display launch rocket';
    const weak = await ask('POST', `${api}/search`, { query });
    expect(weak.body).toEqual({
      tool_references: [
        {
          tool_name: 'send_message',
          id: 'send_message',
          relevance_score: 1,
          summary: 'Display a message in a channel.',
          matched_on: ['description'],
        },
      ],
      total_matches: 1,
      certainty: 'weak',
      unknown_words: ['launch', 'rocket'],
      nearest_namespaces: [],
    });
    const scored = await ask('POST', `${api}/search`, { query: 'display a message', include: ['scores'] });
    expect(scored.body).not.toHaveProperty('certainty');
    expect(scored.body).toMatchObject({ tool_references: [{ confidence: expect.any(Number) }] });
    const { logs } = service;
    await service.close();
    const searches = logs().filter(({ route }) => route === 'search');
    expect(searches).toMatchObject([{ certainty: 'weak' }, { certainty: 'found' }]);
    // Words of a query are content.
    expect(JSON.stringify(logs())).not.toContain('rocket');
  });

  test('an unknown filter is refused by its name', async () => {
    const { api } = await start();
    const response = await ask('POST', `${api}/search`, { query: 'x', filters: { namespace: ['a'] } });
    expect(response.status).toBe(400);
    expect(JSON.stringify(response.body)).toContain('namespace');
  });

  test('filters, kept tools and pages work together', async () => {
    const { api } = await start();
    await register(
      { api },
      Array.from({ length: 9 }, (_, n) =>
        tool(`t${n}`, { tags: [n % 2 ? 'odd' : 'even'], annotations: { readOnlyHint: n < 4 } }),
      ),
    );
    const search = (more: object) => ask('POST', `${api}/search`, { query: 'handles', ...more });
    const filters = { tags: ['even'], annotations: { readOnlyHint: true } };
    const { body } = await search({ filters, page_size: 1 });
    expect(body).toMatchObject({ total_matches: 2, tool_references: [{ id: 't0' }] });
    const next = await search({ filters, page_size: 1, cursor: body.next_cursor });
    expect(next.body).toMatchObject({ tool_references: [{ id: 't2' }] });
    expect(next.body.next_cursor).toBeUndefined();
    const kept = await search({ filters, limit: 1, always_keep: ['t5'] });
    expect(kept.body.tool_references).toMatchObject([{ id: 't0' }]);
    expect(codeOf((await search({ filters: { tags: ['odd'] }, cursor: body.next_cursor })).body)).toBe(
      'invalid_cursor',
    );
  });

  test('R26: a search that the built-in searcher had to answer says so, is counted, and is logged once a minute', async () => {
    let now = 0;
    const searcher: Searcher = {
      name: 'engine',
      deterministic: true,
      bytes: 0,
      apply() {},
      search: () => Promise.reject(new Error('the engine is down')),
    };
    const service = await start({}, { searcher, now: () => now });
    await register(service, [tool('a')]);
    const search = () => ask('POST', `${service.api}/search`, { query: 'handles', include: ['metadata'] });
    for (const at of [0, 30_000, 59_999, 60_000]) {
      now = at;
      const { status, body } = await search();
      expect(status).toBe(200);
      expect(body).toMatchObject({
        total_matches: 1,
        search_metadata: { degraded: { searcher: 'engine', reason: 'failed' } },
      });
    }
    const { logs } = service;
    await service.close();
    expect(logs().filter(({ event }) => event === 'search_degraded')).toMatchObject([
      { level: 'warn', searcher: 'engine', reason: 'failed' },
      { level: 'warn' },
    ]);
  });

  test('R29: the cursor of a search is bound to it, and R30: stale once its results are gone', async () => {
    let now = 0;
    const { api } = await start({}, { now: () => now });
    await register({ api }, [tool('a'), tool('b'), tool('c')]);
    const search = (more: object) =>
      ask('POST', `${api}/search`, { query: 'handles', page_size: 1, ...more });
    const cursor = (await search({})).body.next_cursor;
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
    expect(codeOf((await search({ cursor, query: 'handles a' })).body)).toBe('invalid_cursor');
    await register({ api }, [tool('d')]);
    expect((await search({ cursor })).body.tool_references).toMatchObject([{ id: 'b' }]);
    now = 60_001;
    const stale = await search({ cursor });
    expect([stale.status, codeOf(stale.body)]).toEqual([409, 'stale_cursor']);
  });
});
