import { expect, test } from 'vitest';
import { addTools, start } from './start.ts';

/** A service that has Letta rank, and an agent without tools. */
async function startRanked() {
  const service = await start({ rankWith: 'letta' });
  const ids = addTools(service.letta, ['create', 'list']);
  const agent = service.letta.state.addAgent([], []);
  const attach = (body: object) => service.post('tools/attach', { agent_id: agent.id, ...body });
  return { ...service, ids, attach, names: () => service.letta.namesOf(agent.id) };
}

test('a tool that shares no word with the query comes where Letta puts it before one that passes', async () => {
  const { attach, letta, names } = await startRanked();
  letta.state.ranking = () => ['list_song', 'create_chart', 'list_invoice'];
  const { body } = await attach({ query: 'create a chart', min_score: 60 });
  expect(body.details).toMatchObject({
    processed_count: 3,
    passed_filter_count: 2,
    successful_attachments: [
      { name: 'list_song', match_score: 99.9 },
      { name: 'create_chart', match_score: 99.9 },
    ],
    warnings: [],
  });
  expect(names()).toEqual(['create_chart', 'list_song']);
});

test('what is not registered is ranked here, and core tools are left out', async () => {
  const { attach, letta, names } = await startRanked();
  letta.state.servers.set('maps', [{ name: 'draw_map', description: 'Draw a map' }]);
  letta.state.upsertTool('core_chart', { tool_type: 'letta_core', description: 'chart' });
  letta.state.ranking = () => ['core_chart', 'create_chart'];
  const { body } = await attach({ query: 'draw a map or create a chart', min_score: 30 });
  expect(body.details.processed_count).toBe(2);
  expect(names()).toEqual(['create_chart', 'draw_map']);
});

test('while Letta does not rank, tools are ranked here, a warning says so, and the log once', async () => {
  const { attach, letta, names, logs, post } = await startRanked();
  for (const query of ['create a chart', 'list the songs', 'create a chart']) {
    const { status, body } = await attach({ query, min_score: 60 });
    expect(status).toBe(200);
    expect(body.details.warnings).toMatchObject([{ code: 'ranked_here' }]);
  }
  expect(names()).toContain('create_chart');
  expect((await post('tools/search', { query: 'create a chart', limit: 1 })).body).toMatchObject([
    { name: 'create_chart', score: 99.9 },
  ]);
  // Refused once, and left alone since.
  expect(letta.calls.filter(({ route }) => route === 'search_tools')).toHaveLength(1);
  await new Promise((resolve) => setImmediate(resolve));
  const told = logs().filter(({ event }) => event === 'ranking_fails');
  expect(told).toMatchObject([{ level: 'warn', reason: 'rejected' }]);
});

test('Letta is not asked to rank unless that is set', async () => {
  const { post, letta } = await start();
  letta.state.ranking = () => [];
  addTools(letta, ['create']);
  await post('tools/search', { query: 'chart' });
  expect(letta.calls.map(({ route }) => route)).not.toContain('search_tools');
});

test('of two servers that offer one name, the better tool alone is registered', async () => {
  const { post, letta } = await start();
  letta.state.servers.set('atlas', [{ name: 'draw_map', description: 'Something else altogether' }]);
  letta.state.servers.set('maps', [{ name: 'draw_map', description: 'Draw a map of a city' }]);
  const agent = letta.state.addAgent([], []);
  const wish = { agent_id: agent.id, query: 'draw a map of a city', min_score: 20 };
  const dry = await post('tools/attach', { ...wish, dry_run: true });
  const { body } = await post('tools/attach', wish);
  for (const { details } of [dry.body, body])
    expect(details).toMatchObject({ processed_count: 2, success_count: 1, failure_count: 0 });
  expect([...letta.state.tools.values()]).toMatchObject([{ name: 'draw_map', tags: ['mcp:maps'] }]);
});
