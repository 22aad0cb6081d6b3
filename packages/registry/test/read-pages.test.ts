import { describe, expect, test } from 'vitest';
import { readPages, TOOLS_PER_READ, toRow } from '../src/stores/store.ts';
import { storedTools } from './stored-tools.ts';

const tools = storedTools(3, 41);
const many = Array.from({ length: 2 * TOOLS_PER_READ + 1 }, (_, n) => ({
  ...tools[n % 3]!,
  id: `team:tool_${String(n).padStart(5, '0')}`,
}));

/** A store's part: the next rows after an id. */
function rowsOf(stored: typeof many) {
  const asked: string[] = [];
  const read = async (after: string) => {
    asked.push(after);
    return stored
      .filter(({ id }) => id > after)
      .slice(0, TOOLS_PER_READ)
      .map(toRow);
  };
  return { asked, read };
}

describe('the tools of a scope', () => {
  test.each([0, 1, TOOLS_PER_READ - 1, TOOLS_PER_READ, TOOLS_PER_READ + 1, many.length])(
    'are read to the last one, each once: %i of them',
    async (count) => {
      const { read } = rowsOf(many.slice(0, count));
      const found = [];
      for await (const page of readPages(read)) found.push(...page);
      expect(found.map(({ id }) => id).join()).toBe(
        many
          .slice(0, count)
          .map(({ id }) => id)
          .join(),
      );
      expect(found.slice(-9)).toEqual(many.slice(Math.max(0, count - 9), count));
    },
  );

  test('are read while those before them are worked on', async () => {
    const { asked, read } = rowsOf(many);
    const pages = readPages(read);
    await pages.next();
    expect(asked).toEqual(['', many[TOOLS_PER_READ - 1]!.id]);
    await pages.return(undefined);
  });

  test('that cannot be read are an error for callers that want them, and for no others', async () => {
    const { read } = rowsOf(many);
    const failing = (after: string) => (after === '' ? read(after) : Promise.reject(new Error('gone')));
    const left = readPages(failing);
    await left.next();
    await left.return(undefined);
    const wanted = readPages(failing);
    expect((await wanted.next()).value).toHaveLength(TOOLS_PER_READ);
    await expect(wanted.next()).rejects.toThrow('gone');
  });
});
