import { describe, expect, it } from 'vitest';
import { KEY, startEmbeddingsEndpoint } from './embeddings-endpoint.ts';
import { post, start } from './start.ts';

const tool = (name: string, description: string, vector?: readonly unknown[]) => ({
  name,
  description,
  ...(vector && { vector }),
});

const TOOLS = [
  tool('bank_holidays', 'Bank holidays of a bank.', [0, 1]),
  tool('bank_of_river', 'The bank of a river.', [-1, 0.5]),
  tool('bank_transfer', 'Makes a transfer at any bank in the country.', [1, 0.1]),
  tool('get_weather', 'Current weather.', [0.9, 0.4]),
];

interface Answer {
  readonly selected_names: readonly string[];
  readonly tool_references: readonly { readonly matched_on: readonly string[] }[];
  readonly search_metadata: Readonly<Record<string, unknown>>;
  readonly explanations?: readonly object[];
}

async function startSearching(...args: Parameters<typeof start>) {
  const selector = await start(...args);
  return async (more: object): Promise<Answer> => {
    const request = { pattern: 'pay at the bank', include: ['scores', 'metadata'], ...more };
    const { status, body } = await post(selector.searchUrl, request);
    expect(status).toBe(200);
    return body as unknown as Answer;
  };
}

const query_vector = [1, 0];

describe('vectors of the caller', () => {
  it('reorder the best keyword matches, without any embedder', async () => {
    const search = await startSearching();
    const answers = await Promise.all(
      ['auto', 'hybrid', 'keyword', 'regex'].map((search_type) =>
        search({ tools: TOOLS, query_vector, search_type }),
      ),
    );
    expect(answers.map(({ selected_names }) => selected_names[0])).toEqual([
      'bank_transfer',
      'bank_transfer',
      'bank_holidays',
      'bank_holidays',
    ]);
    expect(answers.map(({ search_metadata }) => search_metadata.search_type)).toEqual([
      'hybrid',
      'hybrid',
      'keyword',
      'keyword',
    ]);
    for (const { search_metadata } of answers) expect(search_metadata.degraded).toBeUndefined();
  });

  it('find tools by meaning alone that no word finds', async () => {
    const search = await startSearching();
    const { selected_names, tool_references, search_metadata } = await search({
      ...{ tools: TOOLS, query_vector, search_type: 'semantic' },
    });
    expect(selected_names).toEqual(['bank_transfer', 'get_weather', 'bank_holidays', 'bank_of_river']);
    expect(tool_references[1]!.matched_on).toEqual(['meaning']);
    expect(search_metadata).toMatchObject({ search_type: 'semantic', total_matches: 4 });
    const explained = await search({
      ...{ tools: TOOLS, query_vector, search_type: 'semantic', explain: ['get_weather'] },
    });
    expect(explained.explanations).toMatchObject([{ name: 'get_weather', rank: 2, matched: [] }]);
  });

  it('are those of the tools that a request names or changes', async () => {
    const search = await startSearching();
    const many = Array.from({ length: 600 }, (_, at) =>
      tool(`tool_${at}`, `Does thing ${at}. ${'More of it. '.repeat(20)}`, [0, 1]),
    );
    const tools = [...many, ...TOOLS];
    const asked = { query_vector, search_type: 'semantic', top_k: 2 };
    const nearest = ['bank_transfer', 'get_weather'];
    expect((await search({ ...asked, tools, catalog_id: 'mine' })).selected_names).toEqual(nearest);
    expect((await search({ ...asked, tools })).selected_names).toEqual(nearest);
    expect((await search({ ...asked, catalog_id: 'mine' })).selected_names).toEqual(nearest);
    const other = await search({ ...asked, catalog_id: 'mine', query_vector: [-1, 0.5] });
    expect(other.selected_names[0]).toBe('bank_of_river');
    // One tool has another vector, and one comes first: the rest is not read again.
    const changed = [
      tool('nearest', 'Nothing of the kind.', [1, 0]),
      ...tools.map((one) => (one.name === 'bank_transfer' ? { ...one, vector: [-1, -1] } : one)),
    ];
    expect((await search({ ...asked, tools: changed })).selected_names).toEqual(['nearest', 'get_weather']);
  });

  it('add tools that no word finds if they are nearer than all keyword matches', async () => {
    const search = await startSearching();
    const tools = [...TOOLS, tool('wire', 'Sends funds.', [1, 0])];
    const { selected_names, tool_references, search_metadata } = await search({ tools, query_vector });
    expect(selected_names.toSorted()).toEqual(['bank_holidays', 'bank_of_river', 'bank_transfer', 'wire']);
    expect(tool_references[selected_names.indexOf('wire')]!.matched_on).toEqual(['meaning']);
    expect(search_metadata).toMatchObject({ total_matches: 4 });
    expect(search_metadata.degraded).toBeUndefined();
  });

  it('are not scanned above the limit of a search: keyword matches are still reordered', async () => {
    const search = await startSearching();
    const long = (vector: readonly number[]) => [...vector, ...Array<number>(8_192 - vector.length).fill(0)];
    const others = Array.from({ length: 940 }, (_, at) => tool(`other_${at}`, 'Something else.'));
    const tools = [
      ...TOOLS.map((one) => ({ ...one, vector: long(one.vector as readonly number[]) })),
      tool('wire', 'Sends funds.', long([1, 0])),
      ...others,
    ];
    const asked = { tools, query_vector: long(query_vector), top_k: 3 };
    const { selected_names, search_metadata } = await search({ ...asked, search_type: 'hybrid' });
    expect(selected_names).toEqual(['bank_transfer', 'bank_holidays', 'bank_of_river']);
    expect(search_metadata.degraded).toBeUndefined();
    const byMeaning = await search({ ...asked, search_type: 'semantic' });
    expect(byMeaning.selected_names).toEqual(['wire', 'bank_transfer', 'get_weather']);
  });

  it('leave the order to keywords if they are missing or of another model, and the response says so', async () => {
    const search = await startSearching();
    const bare = TOOLS.map(({ vector: _, ...rest }) => rest);
    const byWords = await search({ tools: TOOLS, search_type: 'keyword' });
    for (const search_type of ['hybrid', 'semantic']) {
      for (const more of [
        { tools: bare, query_vector },
        { tools: TOOLS, query_vector: [1, 0, 0] },
        { tools: TOOLS },
      ]) {
        const { selected_names, search_metadata } = await search({ search_type, ...more });
        expect(selected_names).toEqual(byWords.selected_names);
        expect(search_metadata).toMatchObject({
          search_type: 'keyword',
          degraded: true,
          degraded_reason: 'query_vector' in more ? 'missing_vectors' : 'no_embedder',
        });
      }
    }
    const some = TOOLS.map((one, at) => (at === 0 ? bare[0]! : one));
    const { selected_names, search_metadata } = await search({
      ...{ tools: some, query_vector, search_type: 'semantic' },
    });
    expect(selected_names[0]).toBe('bank_transfer');
    expect(search_metadata).toMatchObject({
      search_type: 'semantic',
      degraded_reason: 'missing_vectors',
    });
  });

  it('replace the embedder, which is not called', async () => {
    const endpoint = await startEmbeddingsEndpoint();
    const search = await startSearching({
      embedder: endpoint.address,
      embedderKey: KEY,
    });
    await search({ tools: TOOLS, query_vector, search_type: 'hybrid' });
    expect(endpoint.asked).toEqual([]);
  });

  it.each([
    [{ tools: [tool('a', 'b', [])] }, 200],
    [{ tools: [tool('a', 'b', [0, 0])] }, 'tools.0.vector'],
    [{ tools: [TOOLS[0], tool('a', 'b', [1, '2'])] }, 'tools.1.vector'],
    [{ tools: [tool('a', 'b', [1, null])] }, 'tools.0.vector'],
    [{ tools: [{ name: 'a', vector: 'x' }] }, 'tools.0.vector'],
    [{ tools: TOOLS, query_vector: [] }, 'query_vector'],
    [{ tools: TOOLS, query_vector: [0, 0] }, 'query_vector'],
    [{ tools: TOOLS, query_vector: ['1'] }, 'query_vector.0'],
    [{ tools: TOOLS, query_vector: Array(8_193).fill(1) }, 'query_vector'],
  ])('that are none are refused: %#', async (request, expected) => {
    const selector = await start();
    const { status, body } = await post(selector.searchUrl, { pattern: 'x', ...request });
    if (expected === 200) expect(status).toBe(200);
    else {
      expect(status).toBe(400);
      const { error } = body as { error: { details: { path: string }[] } };
      expect(error.details.map(({ path }) => path)).toEqual([expected]);
    }
  });
});

it('orders by the vectors of an embedder on request', async () => {
  const endpoint = await startEmbeddingsEndpoint();
  const search = await startSearching({
    embedder: endpoint.address,
    embedderKey: KEY,
  });
  const tools = TOOLS.map(({ vector: _, ...rest }) => rest);
  for (;;) {
    const { selected_names, search_metadata } = await search({ tools, search_type: 'semantic' });
    if (search_metadata.degraded) continue;
    expect(search_metadata.search_type).toBe('semantic');
    expect(selected_names[0]).toBe('bank_transfer');
    expect(new Set(selected_names).size).toBe(4);
    return;
  }
});
