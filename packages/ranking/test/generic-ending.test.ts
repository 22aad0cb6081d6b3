import { expect, test } from 'vitest';
import { bm25 } from '../src/rankers/bm25.ts';
import { genericEnding } from '../src/text/generic-ending.ts';

test.each([
  ['JobTool', 'Tool'],
  ['weather_api', 'api'],
  ['WeatherAPI.com__Astronomy API', 'API'],
  ['mcp__browser__web_search_tool', 'tool'],
  ['PDF&URLTool', 'Tool'],
  ['notion-mcp', 'mcp'],
  ['天气Tool', 'Tool'],
])('%s ends with what every tool is', (name, ending) => {
  expect(genericEnding(name)).toBe(ending);
});

test.each([
  ['call_tool', 'the verb acts on it'],
  ['github__create_api', 'the verb behind the prefix acts on it'],
  ['my_tool', 'a stop word is no subject'],
  ['list_weather_tools', 'a list of them'],
  ['tool', 'nothing else is there'],
  ['toolbox', 'a part of a word'],
  ['robot', 'a part of a word'],
  ['Multitool', 'no hump'],
  ['restart_server', 'something that tools act on'],
  ['', 'no name'],
])('%s has no such ending: %s', (name) => {
  expect(genericEnding(name)).toBeUndefined();
});

/** Names, of tools without descriptions, in the order in which a query finds them. */
async function found(query: string, names: readonly string[]): Promise<string[]> {
  const index = bm25.build(names.map((name) => ({ name, description: '', parameters: [] })));
  const { hits } = await index.rank(query, { limit: 10 });
  return hits.map(({ position }) => names[position]!);
}

test('a name is covered whole without its ending, and so comes before one that says more', async () => {
  expect(await found('a job in the city', ['job_history', 'JobTool', 'send_mail'])).toEqual([
    'JobTool',
    'job_history',
  ]);
});

test('the ending is found all the same', async () => {
  expect(await found('which tool is there', ['send_mail', 'JobTool'])).toEqual(['JobTool']);
  expect(await found('jobtool', ['send_mail', 'JobTool'])).toEqual(['JobTool']);
});
