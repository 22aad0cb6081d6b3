import { expect, test } from 'vitest';
import { addTools, start } from './start.ts';

/** The example of the contract: an agent with a tool to search documents, one that is kept, and one that has nothing to do with either. */
async function startExample(settings: Parameters<typeof start>[0] = {}) {
  const service = await start({ minMcpTools: 1, ...settings });
  const { state } = service.letta;
  const add = (name: string, description: string) =>
    state.upsertTool(name, { tool_type: 'external_mcp', tags: ['mcp:demo'], description }).id;
  const ids = {
    search: add('document_search', 'Search documents'),
    chart: add('chart_create', 'Draw charts'),
    kept: add('keep_me', 'Says good morning'),
    other: add('pay_invoice', 'Pays an invoice'),
  };
  const agent = state.addAgent([ids.kept, ids.other], []);
  return { ...service, ids, agentId: agent.id };
}

test('the example of the contract has its response, to the letter', async () => {
  const { post, ids, agentId } = await startExample();
  const { status, body } = await post('tools/attach', {
    agent_id: agentId,
    query: 'search documents and draw charts',
    limit: 15,
    min_score: 50,
    keep_tools: [ids.kept],
    auto_prune: true,
    something_of_tomorrow: true,
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    message: `Successfully processed 2 candidates (2 passed min_score=50.0%), attached 2 tool(s) to agent ${agentId}`,
    details: {
      detached_tools: [ids.other],
      failed_detachments: [],
      processed_count: 2,
      passed_filter_count: 2,
      success_count: 2,
      failure_count: 0,
      successful_attachments: [
        { success: true, tool_id: ids.search, name: 'document_search', match_score: expect.any(Number) },
        { success: true, tool_id: ids.chart, name: 'chart_create', match_score: expect.any(Number) },
      ],
      failed_attachments: [],
      preserved_tools: [ids.kept],
      target_agent: agentId,
      already_attached: [],
      pruned_before: [],
      pruned_after: [],
      warnings: [],
      limits: { total: 30, mcp: 20, before: 2, after: 3 },
      dry_run: false,
      loop_triggered: false,
    },
  });
});

test('success with a failure is a success, and wakes the loop; nothing attached is none, and does not', async () => {
  const { post, ids, agentId, letta } = await startExample();
  const wish = { agent_id: agentId, query: 'search documents and draw charts', skip_loop_trigger: false };
  letta.faults = ({ route }) => (route === 'attach' ? { status: 500 } : undefined);
  const none = await post('tools/attach', wish);
  expect(none).toMatchObject({ status: 200, body: { success: false, details: { loop_triggered: false } } });
  letta.faults = ({ path }) => (path.endsWith(`attach/${ids.chart}`) ? { status: 404 } : undefined);
  const some = await post('tools/attach', wish);
  expect(some.body).toMatchObject({
    success: true,
    details: {
      ...{ success_count: 1, failure_count: 1, loop_triggered: true },
      failed_attachments: [{ success: false, tool_id: ids.chart, name: 'chart_create', error: 'not_found' }],
    },
  });
  await expect.poll(() => letta.calls.filter(({ route }) => route === 'message')).toHaveLength(1);
});

test('auto_prune: false leaves what could not be detached', async () => {
  const { post, letta } = await start();
  const ids = addTools(letta, ['create', 'list', 'delete']);
  const without = Object.entries(ids).flatMap(([name, id]) => (name.endsWith('chart') ? [] : [id]));
  const prunedBy = async (autoPrune: boolean) => {
    const agent = letta.state.addAgent(without, []);
    let failures = 6;
    letta.faults = ({ route }) => (route === 'detach' && failures-- > 0 ? { status: 500 } : undefined);
    const { body } = await post('tools/attach', {
      agent_id: agent.id,
      query: 'chart',
      auto_prune: autoPrune,
    });
    return body.details.pruned_after.length;
  };
  expect([await prunedBy(true), await prunedBy(false)]).toEqual([2, 0]);
});

test('when the tools of Letta cannot be read, nothing is changed', async () => {
  const { post, agentId, letta } = await startExample();
  letta.faults = ({ route }) => (route === 'list_tools' ? { status: 500 } : undefined);
  const { status, body } = await post('tools/attach', { agent_id: agentId, query: 'draw charts' });
  expect([status, body.code]).toEqual([502, 'letta_error']);
  expect(letta.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('the pages of an agent that lose tools are never asked for', async () => {
  const { post, agentId, letta } = await startExample();
  await post('tools/attach', { agent_id: agentId, query: 'draw charts' });
  const reads = letta.calls.filter(({ path }) => path.startsWith('/v1/agents/') && !/tach/.test(path));
  expect(new Set(reads.map(({ route, query }) => `${route} ${query}`))).toEqual(
    new Set(['read_agent include=agent.tools']),
  );
});

test('a call is tried twice and no more, and the message that wakes a loop once', async () => {
  const { post, agentId, letta } = await startExample();
  letta.faults = () => 'reset';
  expect((await post('tools/attach', { agent_id: agentId, query: '' })).status).toBe(502);
  expect(letta.calls).toHaveLength(2);
  letta.faults = ({ route }) => (route === 'message' ? 'reset' : undefined);
  const wish = { agent_id: agentId, query: 'draw charts', skip_loop_trigger: false };
  expect((await post('tools/attach', wish)).status).toBe(200);
  await expect.poll(() => letta.calls.filter(({ route }) => route === 'message')).toHaveLength(1);
});

test('a tool for which Letta writes a rule of approval is not taken away afterwards', async () => {
  const { post, agentId, letta } = await startExample({ minMcpTools: 0 });
  const parts = { tool_type: 'external_mcp', tags: ['mcp:demo'], description: 'Deletes everything' };
  letta.state.upsertTool('delete_all', { ...parts, default_requires_approval: true });
  await post('tools/attach', { agent_id: agentId, query: 'delete_all', min_score: 90 });
  const { body } = await post('tools/attach', { agent_id: agentId, query: 'draw charts', min_score: 60 });
  expect(letta.namesOf(agentId)).toEqual(['chart_create', 'delete_all']);
  expect(body.details.preserved_tools).toHaveLength(1);
});

test('metrics report phases, protections, replays and ages', async () => {
  const { post, url, letta } = await startExample({
    ...{ maxTotalTools: 2, maxMcpTools: 1, minMcpTools: 0, protectedTools: ['create_*'] },
  });
  const ids = addTools(letta, ['create']);
  const agent = letta.state.addAgent(Object.values(ids), []);
  const wish = { agent_id: agent.id, query: 'draw charts', min_score: 90 };
  for (let time = 0; time < 2; time++) await post('tools/attach', wish, { 'idempotency-key': 'k' });
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const line of [
    'winnow_attach_phase_seconds_count{phase="read"} 1',
    'winnow_attach_phase_seconds_count{phase="search"} 1',
    'winnow_attach_phase_seconds_count{phase="change"} 1',
    'winnow_attach_tools_total{action="kept"} 6',
  ])
    expect(text).toContain(line);
  const age = Number(/^winnow_attach_catalogue_age_seconds (\S+)$/m.exec(text)![1]);
  expect(age).toBeGreaterThanOrEqual(0);
});
