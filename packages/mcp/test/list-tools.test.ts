import { expect, test } from 'vitest';
import { listTools } from '../src/servers/read-list.ts';

const pause = async () => {};
const tool = (name: string, parts: object = {}) => ({ name, inputSchema: { type: 'object' }, ...parts });

/** Reads pages that are given by their cursors, the first one by ''. */
function read(pages: Readonly<Record<string, unknown>> | ((cursor: string) => unknown)) {
  const pageOf = typeof pages === 'function' ? pages : (cursor: string) => pages[cursor];
  return listTools({ readPage: async (cursor) => pageOf(cursor ?? ''), pause });
}

test('R46: pages are followed to the end, in order', async () => {
  const list = await read({
    '': { tools: [tool('a')], nextCursor: 'x', ttlMs: 5 },
    x: { tools: [], nextCursor: 'y', ttlMs: 7 },
    y: { tools: [tool('b')], nextCursor: null },
  });
  expect(list.tools.map(({ name }) => name)).toEqual(['a', 'b']);
  // What holds for the first page holds for the list.
  expect(list.ttlMs).toBe(5);
});

test.each([
  ['an empty cursor on every page', { '': { tools: [tool('a')], nextCursor: '' } }],
  [
    'a cursor that does not advance',
    { '': { tools: [tool('a')], nextCursor: 'x' }, x: { tools: [tool('b')], nextCursor: 'x' } },
  ],
])('R46: %s ends the list, which says that it is cut', async (_, pages) => {
  const { tools, leftOut } = await read(pages);
  expect(tools.map(({ name }) => name)).toEqual(['a', ...('x' in pages ? ['b'] : [])]);
  expect(leftOut).toEqual([{ tool: 'further tools', reason: expect.stringContaining('came twice') }]);
});

test('R46: optional members that are null, and older dialects of schemas, cost no tool', async () => {
  const schema = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' };
  const none = { title: null, description: null, annotations: null, outputSchema: null, _meta: null };
  const { tools } = await read({ '': { tools: [tool('a', { ...none, inputSchema: schema })] } });
  expect(tools).toEqual([
    tool('a', { inputSchema: { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } }),
  ]);
});

test('R46: a tool that runs only as a task is left out', async () => {
  const page = { tools: [tool('a'), tool('b', { execution: { taskSupport: 'required' } })] };
  const { tools, leftOut } = await read({ '': page });
  expect(tools.map(({ name }) => name)).toEqual(['a']);
  expect(leftOut).toEqual([{ tool: 'b', reason: expect.stringContaining('task') }]);
});

test('R46: a 65th page, a 5,001st tool or more than 32 MiB end it', async () => {
  const pages = (count: number) =>
    read((cursor) => {
      const next = Number(cursor || 1) + 1;
      return { tools: [tool(`t${next}`)], ...(next <= count && { nextCursor: String(next) }) };
    });
  expect((await pages(64)).tools).toHaveLength(64);
  await expect(pages(65)).rejects.toMatchObject({ code: 'too_many_pages' });
  const many = (count: number) =>
    read({ '': { tools: Array.from({ length: count }, (_, n) => tool(`t${n}`)) } });
  expect((await many(5_000)).tools).toHaveLength(5_000);
  await expect(many(5_001)).rejects.toMatchObject({ code: 'too_many_tools' });
  const description = Buffer.alloc(2 ** 20, 'x').toString('latin1');
  const large = (count: number) =>
    read({ '': { tools: Array.from({ length: count }, (_, n) => tool(`t${n}`, { description })) } });
  expect((await large(31)).tools).toHaveLength(31);
  await expect(large(32)).rejects.toMatchObject({ code: 'list_too_large' });
});

test('R46: what is not a list is an error', async () => {
  for (const page of [undefined, null, [], 'tools', {}, { tools: {} }, { tools: [], nextCursor: 3 }]) {
    await expect(read({ '': page })).rejects.toMatchObject({ code: 'bad_answer' });
  }
});

test('R46: entries that are no tools are left out, and the others taken', async () => {
  let deep: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  const entries = [
    null,
    7,
    'tool',
    {},
    { name: 3 },
    { name: '' },
    tool('good'),
    tool('deep', { _meta: { deep } }),
  ];
  const list = await read({ '': { tools: entries, ttlMs: -1 } });
  expect(list.tools.map(({ name }) => name)).toEqual(['good']);
  expect(list.leftOut).toHaveLength(7);
  expect(list.leftOut.at(-1)).toEqual({ tool: 'deep', reason: expect.stringContaining('deeper than 64') });
  expect(list.ttlMs).toBeUndefined();
});
