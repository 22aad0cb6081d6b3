import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { addTools, start } from './start.ts';

test('searching says what would be found, with scores, and changes nothing', async () => {
  const { post, letta } = await start();
  const ids = addTools(letta, ['create', 'list']);
  letta.state.servers.set('maps', [{ name: 'draw_map', description: 'Draw a map' }]);
  letta.state.upsertTool('core_chart', { tool_type: 'letta_core', description: 'chart' });
  const { body } = await post('tools/search', { query: 'create chart', limit: 2 });
  expect(body).toHaveLength(2);
  expect(body[0]).toEqual({
    id: ids.create_chart,
    name: 'create_chart',
    description: 'create a chart for someone',
    score: 99.9,
  });
  const unregistered = await post('tools/search', { query: 'map' });
  expect(unregistered.body).toMatchObject([{ id: null, name: 'draw_map' }]);
  const core = await post('tools/search', { query: 'core_chart' });
  expect(core.body.map(({ name }: { name: string }) => name)).not.toContain('core_chart');
  expect(letta.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('all tools are listed, over several pages of Letta', async () => {
  const { url, letta } = await start();
  for (let at = 0; at < 450; at++) letta.state.upsertTool(`tool_${at}`, { tags: at % 2 ? ['mcp:demo'] : [] });
  const tools = (await (await fetch(`${url}/api/v1/tools`)).json()) as {
    name: string;
    server: string | null;
  }[];
  expect(new Set(tools.map(({ name }) => name)).size).toBe(450);
  expect(tools.filter(({ server }) => server === 'demo')).toHaveLength(225);
  expect(letta.calls.filter(({ route }) => route === 'list_tools')).toHaveLength(3);
});

test('what is known is refreshed when that is asked for', async () => {
  const { post, letta } = await start();
  expect((await post('tools/search', { query: 'chart' })).body).toEqual([]);
  addTools(letta, ['create']);
  expect((await post('tools/search', { query: 'chart' })).body).toEqual([]);
  expect((await post('tools/refresh', {})).body).toEqual({ success: true, tools: 6 });
  expect((await post('tools/search', { query: 'chart' })).body).toHaveLength(1);
});

test('pruning takes away the least relevant share, and keeps what is asked for', async () => {
  const { post, letta } = await start();
  const ids = addTools(letta, ['create', 'list']);
  const agent = letta.state.addAgent(Object.values(ids), []);
  const { body } = await post('tools/prune', {
    agent_id: agent.id,
    user_prompt: 'create a chart',
    drop_rate: 0.4,
    keep_tool_ids: [ids.list_song],
    newly_matched_tool_ids: [ids.list_mail],
  });
  expect(body.details.limits).toMatchObject({ before: 12, after: 7 });
  const left = letta.namesOf(agent.id);
  for (const name of ['create_chart', 'list_chart', 'list_song', 'list_mail']) expect(left).toContain(name);
  // Of five that are left to go, all have nothing to do with it.
  expect(body.details.detached_tools).toHaveLength(5);
});

test('after detaching has failed, pruning at the end takes away its share of what is left', async () => {
  const { post, letta } = await start();
  const ids = addTools(letta, ['create', 'list', 'delete']);
  const agent = letta.state.addAgent(
    Object.entries(ids).flatMap(([name, id]) => (name.endsWith('chart') ? [] : [id])),
    [],
  );
  let failures = 6;
  letta.faults = ({ route }) => (route === 'detach' && failures-- > 0 ? { status: 500 } : undefined);
  const { body } = await post('tools/attach', { agent_id: agent.id, query: 'chart' });
  // 15 and 3 new ones; 11 should go, 6 of them did not: of 13 MCP tools ⌊13 · 0.9⌋ = 11 are left.
  expect(body.details.pruned_after).toHaveLength(2);
  expect(body.details.failed_detachments).toHaveLength(4);
  expect(body.details.limits).toMatchObject({ before: 15, after: 11 });
});

const sign = (body: string, secret = 'hook') => createHmac('sha256', secret).update(body).digest('hex');

test('a signed notification has all tools read again, and nothing else does', async () => {
  const { post, letta } = await start({ webhookSecret: 'hook' });
  await post('tools/search', { query: 'chart' });
  addTools(letta, ['create']);
  const body = JSON.stringify({ type: 'tool.created', id: 'x' });
  for (const signature of [undefined, '', 'zz', sign(body, 'wrong'), sign(`${body} `)]) {
    const headers = signature === undefined ? {} : { 'x-letta-signature': signature };
    expect((await post('webhooks/letta', body, headers as Record<string, string>)).status).toBe(401);
  }
  const other = JSON.stringify({ type: 'agent.created' });
  const told = await post('webhooks/letta', other, { 'x-letta-signature': sign(other) });
  expect(told.body).toEqual({ success: true, invalidated: false });
  expect((await post('tools/search', { query: 'chart' })).body).toEqual([]);
  const done = await post('webhooks/letta', body, { 'x-letta-signature': `sha256=${sign(body)}` });
  expect(done.body).toEqual({ success: true, invalidated: true });
  expect((await post('tools/search', { query: 'chart' })).body).toHaveLength(1);
});

test('without a secret there are no notifications', async () => {
  const { post } = await start();
  expect((await post('webhooks/letta', {})).body.code).toBe('not_configured');
});

test('the service describes itself, and says that it is ready until it drains', async () => {
  const { url } = await start();
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(description.paths)).toEqual(
    expect.arrayContaining([
      '/api/v1/tools/attach',
      '/api/v1/tools/prune',
      '/api/v1/tools/search',
      '/api/v1/tools',
      '/api/v1/tools/refresh',
      '/api/v1/webhooks/letta',
    ]),
  );
  for (const path of ['healthz', 'readyz', 'docs']) expect((await fetch(`${url}/${path}`)).status).toBe(200);
});

test.each(['tool.created', 'tool.updated', 'tool.deleted'])(
  'a notification of %s writes nothing',
  async (type) => {
    const { post, letta } = await start({ webhookSecret: 'hook', tokens: ['secret-token'] });
    const body = JSON.stringify({ event: type });
    // It needs no token, as it is signed.
    const { status, body: said } = await post('webhooks/letta', body, { 'x-letta-signature': sign(body) });
    expect([status, said]).toEqual([200, { success: true, invalidated: true }]);
    expect(letta.calls).toEqual([]);
  },
);
