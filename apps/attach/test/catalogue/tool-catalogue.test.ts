import { expect, test } from 'vitest';
import { ToolCatalogue } from '../../src/catalogue/tool-catalogue.ts';
import { knownTool } from '../plan/random-agent.ts';

const offered = (server: string, name: string, description = `Handles ${name}`) => ({
  server,
  name,
  description,
  inputSchema: undefined,
});

const keysOf = (catalogue: ToolCatalogue) =>
  catalogue
    .all()
    .map(({ key }) => key)
    .sort();

async function found(catalogue: ToolCatalogue, query: string): Promise<string[]> {
  const search = await catalogue.search(query, { limit: 10, excludesCore: true }, async () => {});
  return search.found.map(({ tool }) => tool.key);
}

test('what is registered takes the place of what was offered under its name, by every server', async () => {
  const catalogue = new ToolCatalogue();
  catalogue.offer([offered('maps', 'draw_map'), offered('atlas', 'draw_map'), offered('maps', 'find_map')]);
  expect(await found(catalogue, 'draw map')).toEqual([
    'mcp:atlas/draw_map',
    'mcp:maps/draw_map',
    'mcp:maps/find_map',
  ]);
  catalogue.learn([knownTool('draw_map')]);
  expect(await found(catalogue, 'draw map')).toEqual(['tool-draw_map', 'mcp:maps/find_map']);
  // As long as Letta has the name, nothing else has it.
  catalogue.offer([offered('maps', 'draw_map'), offered('maps', 'find_map')]);
  expect(keysOf(catalogue)).toEqual(['mcp:maps/find_map', 'tool-draw_map']);
  catalogue.replace([]);
  catalogue.offer([offered('maps', 'draw_map')]);
  expect(keysOf(catalogue)).toEqual(['mcp:maps/draw_map']);
});

test('of one tool that is offered twice, the first counts', () => {
  const catalogue = new ToolCatalogue();
  const [first, second] = [offered('maps', 'draw_map', 'First'), offered('maps', 'draw_map', 'Second')];
  catalogue.offer([first, second]);
  expect(catalogue.all().map(({ description }) => description)).toEqual(['First']);
  expect([catalogue.holds(first), catalogue.holds(second)]).toEqual([true, false]);
});

test('what is no longer offered is no longer found, and what has another text is found by that', async () => {
  const catalogue = new ToolCatalogue();
  catalogue.offer([offered('maps', 'draw_map'), offered('maps', 'old')]);
  catalogue.offer([offered('maps', 'draw_map', 'Paints a chart of a country')]);
  expect(keysOf(catalogue)).toEqual(['mcp:maps/draw_map']);
  expect(await found(catalogue, 'paints a country')).toEqual(['mcp:maps/draw_map']);
});

test('what Letta Cloud registers under a name with its server takes the place of what was offered', async () => {
  const catalogue = new ToolCatalogue();
  catalogue.offer([offered('maps', 'draw_map'), offered('atlas', 'draw_map')]);
  catalogue.learn([knownTool('mcp__maps__draw_map')]);
  expect(keysOf(catalogue)).toEqual(['mcp:atlas/draw_map', 'tool-mcp__maps__draw_map']);
  catalogue.offer([offered('maps', 'draw_map')]);
  expect(keysOf(catalogue)).toEqual(['tool-mcp__maps__draw_map']);
});
