import { expect, test } from 'vitest';
import { listTools } from '../src/servers/list-tools.ts';

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

test('R46: an empty cursor is one as well', async () => {
  await expect(read({ '': { tools: [], nextCursor: '' } })).rejects.toMatchObject({
    code: 'cursor_repeated',
  });
});

test('R46: a cursor that comes twice, a 65th page, a 5,001st tool or more than 32 MiB end it', async () => {
  const turning = {
    '': { tools: [], nextCursor: 'x' },
    x: { tools: [], nextCursor: 'y' },
    y: { tools: [], nextCursor: 'x' },
  };
  await expect(read(turning)).rejects.toMatchObject({ code: 'cursor_repeated' });
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
