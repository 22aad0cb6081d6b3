import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import { noPause } from '../src/pause.ts';
import { lackedWords } from '../src/search/lacked-words.ts';
import { selectTools, type ToolQuery } from '../src/search/select-tools.ts';

const catalogue = buildCatalogue([
  { name: 'brew', description: 'Makes coffee.' },
  { name: 'weather', description: 'Tells the forecast for a city.' },
  { name: 'paint', description: 'Draws a picture of a city.' },
]);

const select = (pattern: string, query: Partial<ToolQuery> = {}) =>
  selectTools(catalogue, { pattern, topK: 5, alwaysKeep: [], searchType: 'keyword', ...query }, noPause);

describe('taught words', () => {
  test('lead to a tool that lacks them, in any of their forms', async () => {
    const taught = [{ name: 'brew', words: ['forecast'] }];
    expect((await select('forecast')).names).toEqual(['weather']);
    expect((await select('forecasts', { taught })).names).toEqual(['weather', 'brew']);
    const sunset = [{ name: 'paint', words: ['sunset'] }];
    expect((await select('sunset city', { taught: sunset })).names).toEqual(['paint', 'weather']);
  });

  test('raise no confidence: what is not found without them is weak at most', async () => {
    expect(await select('zvqx wjkq')).toMatchObject({ names: [], certainty: 'none' });
    const taught = [{ name: 'weather', words: ['zvqx', 'wjkq'] }];
    expect(await select('zvqx wjkq', { taught })).toMatchObject({ names: ['weather'], certainty: 'weak' });
  });

  test('change nothing for tools that contain them, for unknown names, and for later searches', async () => {
    const before = await select('forecast city');
    const taught = [
      { name: 'weather', words: ['forecast', 'city'] },
      { name: 'gone', words: ['city'] },
    ];
    expect(await select('forecast city', { taught })).toEqual(before);
    await select('forecast', { taught: [{ name: 'brew', words: ['forecast'] }] });
    expect((await select('forecast')).names).toEqual(['weather']);
  });

  test('never bring back a tool that a search must not find', async () => {
    const taught = [{ name: 'brew', words: ['forecast'] }];
    const excluded = Uint8Array.of(1, 0, 0);
    expect((await select('forecast', { taught, excluded })).names).toEqual(['weather']);
  });
});

test('a tool lacks the telling words of a query that neither its name nor its description has in any form', () => {
  const tool = { name: 'create_issue', description: 'Opens a new issue.' };
  expect(lackedWords('open Bugs and issues for THE team, bugs', tool)).toEqual(['bugs', 'team']);
  expect(lackedWords('x'.repeat(100), tool)).toEqual([]);
  expect(lackedWords('', tool)).toEqual([]);
});
