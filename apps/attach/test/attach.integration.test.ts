import { request } from 'node:http';
import { AttachResponse } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { addTools, start } from './start.ts';

/** An agent with nine tools that have nothing to do with charts. */
async function startWithAgent(...options: Parameters<typeof start>) {
  const service = await start(...options);
  const ids = addTools(service.letta, ['create', 'list', 'delete']);
  const attached = Object.entries(ids).filter(([name]) => !/chart|document/.test(name));
  const agent = service.letta.state.addAgent(
    attached.slice(0, 9).map(([, id]) => id),
    [],
  );
  return { ...service, ids, agentId: agent.id, names: () => service.letta.namesOf(agent.id) };
}

const QUERY = { query: 'create a chart', min_score: 80 };

describe('POST /api/v1/tools/attach', () => {
  test('attaches what fits, detaches what does not, and says so in the form of the contract', async () => {
    const { post, agentId, names, ids } = await startWithAgent();
    const { status, body } = await post('tools/attach', { agent_id: agentId, ...QUERY, limit: 5 });
    expect(status).toBe(200);
    expect(AttachResponse.strict().safeParse(body).error).toBeUndefined();
    expect(body.success).toBe(true);
    expect(body.message).toBe(
      `Successfully processed 5 candidates (1 passed min_score=80.0%), attached 1 tool(s) to agent ${agentId}`,
    );
    expect(names()).toContain('create_chart');
    expect(body.details.successful_attachments[0]).toEqual({
      success: true,
      tool_id: ids.create_chart,
      name: 'create_chart',
      match_score: 99.9,
    });
    expect(body.details).toMatchObject({
      target_agent: agentId,
      processed_count: 5,
      passed_filter_count: 1,
      success_count: 1,
      failure_count: 0,
      failed_attachments: [],
      failed_detachments: [],
      warnings: [],
      limits: { total: 30, mcp: 20, before: 9, after: 7 },
      dry_run: false,
      loop_triggered: false,
    });
    expect(body.details.detached_tools).toHaveLength(3);
  });

  test('looks at ten tools when nothing is said, or at as many as are allowed where these are fewer', async () => {
    for (const [findToolsMaxLimit, processed] of [
      [25, 10],
      [4, 4],
    ] as const) {
      const { post, agentId } = await startWithAgent({ findToolsMaxLimit });
      const { status, body } = await post('tools/attach', { agent_id: agentId, query: 'create list delete' });
      expect([status, body.details?.processed_count]).toEqual([200, processed]);
      expect((await post('tools/attach', { agent_id: agentId, limit: findToolsMaxLimit + 1 })).status).toBe(
        400,
      );
    }
  });

  test('takes a UUID without its prefix and in capitals', async () => {
    const { post, agentId } = await startWithAgent();
    const bare = agentId.replace('agent-', '').toUpperCase();
    const { status, body } = await post('tools/attach', { agent_id: bare, ...QUERY }, { 'x-agent-id': bare });
    expect([status, body.details?.target_agent]).toEqual([200, agentId]);
  });

  test('changes nothing without a query, whatever is kept', async () => {
    const { post, agentId, names, letta } = await startWithAgent();
    const before = names();
    const { body } = await post('tools/attach', { agent_id: agentId, query: '  ', keep_tools: ['tool-x'] });
    expect(body.message).toBe(`No tools to attach to agent ${agentId}`);
    expect(body).toMatchObject({
      success: true,
      details: { passed_filter_count: 0, preserved_tools: ['tool-x'] },
    });
    expect(names()).toEqual(before);
    expect(letta.calls.map(({ route }) => route)).toEqual(['read_agent']);
  });

  test('changes nothing for a query without a word of any tool, and warns', async () => {
    const { post, agentId, names } = await startWithAgent();
    const before = names();
    const { body } = await post('tools/attach', { agent_id: agentId, query: 'xyzzy' });
    expect(body.details.warnings).toMatchObject([{ code: 'no_match' }]);
    expect(names()).toEqual(before);
  });

  test('names the nearest tools if none clearly fits the query, and changes nothing', async () => {
    const { post, agentId, names, letta } = await startWithAgent();
    letta.state.upsertTool('post_note', { description: 'Displays a note on the board.' });
    const query = 'display launch rocket';
    const before = names();
    const { body } = await post('tools/attach', { agent_id: agentId, query, min_score: 0 });
    expect(body).toMatchObject({
      success: true,
      details: {
        processed_count: 1,
        passed_filter_count: 0,
        warnings: [
          {
            code: 'weak_match',
            message:
              'No tool clearly fits the query; nothing was changed. Words that no tool contains: launch, rocket.',
          },
        ],
        weak_matches: [{ name: 'post_note', match_score: expect.any(Number) }],
      },
    });
    expect(names()).toEqual(before);
    const { body: found } = await post('tools/search', { query });
    expect(found).toMatchObject([{ name: 'post_note', is_weak: true }]);
    // By its name, it is certain.
    await post('tools/attach', { agent_id: agentId, query: 'post_note' });
    expect(names()).toContain('post_note');
    expect((await post('tools/search', { query: 'post_note' })).body).not.toMatchObject([{ is_weak: true }]);
  });

  test('registers what an MCP server offers, and never what another tool has the name of', async () => {
    const { post, agentId, names, letta } = await startWithAgent();
    letta.state.servers.set('maps', [
      { name: 'draw_map', description: 'Draw a map of a city' },
      { name: 'create_chart', description: 'Something else altogether' },
    ]);
    const { body } = await post('tools/attach', { agent_id: agentId, query: 'draw a map', min_score: 60 });
    expect(body.details.successful_attachments).toMatchObject([{ name: 'draw_map', match_score: 100 }]);
    expect(names()).toContain('draw_map');
    await post('tools/attach', { agent_id: agentId, query: 'create a chart', min_score: 60 });
    expect([...letta.state.tools.values()].find(({ name }) => name === 'create_chart')!.tags).toEqual([
      'mcp:demo',
    ]);
  });

  test('never detaches what settings, requests, tags and rules protect', async () => {
    const { post, letta } = await start({ neverDetachTools: ['list_song'], protectedTools: ['delete_*'] });
    const ids = addTools(letta, ['create', 'list', 'delete']);
    const tagged = letta.state.upsertTool('tagged', {
      tool_type: 'external_mcp',
      tags: ['mcp:demo', 'protected'],
    });
    const attached = Object.entries(ids).filter(([name]) => !/chart/.test(name));
    const rules = [{ tool_name: 'list_mail', type: 'exit_loop' }];
    const agent = letta.state.addAgent([...attached.map(([, id]) => id), tagged.id], rules);
    const { body } = await post('tools/attach', {
      agent_id: agent.id,
      query: 'chart',
      keep_tools: [ids.list_issue],
    });
    const left = letta.namesOf(agent.id);
    for (const name of ['list_song', 'list_issue', 'list_mail', 'tagged', 'delete_song', 'delete_mail'])
      expect(left).toContain(name);
    expect(body.details.preserved_tools[0]).toBe(ids.list_issue);
    expect(left.filter((name) => name.startsWith('create_'))).toEqual(['create_chart']);
  });

  test('makes at most eight calls side by side', async () => {
    const { post, letta } = await start({}, {}, { latencyMs: 50 });
    const ids = addTools(letta, ['create', 'list', 'delete']);
    const agent = letta.state.addAgent([], []);
    const { body } = await post('tools/attach', {
      agent_id: agent.id,
      query: 'create',
      limit: 25,
      min_score: 0,
    });
    expect(body.details.success_count).toBeGreaterThan(5);
    expect(Object.keys(ids)).toHaveLength(18);
    expect(letta.mostAtOnce).toBeGreaterThan(4);
    expect(letta.mostAtOnce).toBeLessThanOrEqual(8);
  });

  test('wakes the loop of the agent when it is asked to, after success', async () => {
    const { post, agentId, letta } = await startWithAgent();
    const { body } = await post('tools/attach', { agent_id: agentId, ...QUERY, skip_loop_trigger: false });
    expect(body.details.loop_triggered).toBe(true);
    await expect.poll(() => letta.state.agents.get(agentId)!.messages).toHaveLength(1);
  });

  test('finishes what it has begun although the client has left', async () => {
    const { url, agentId, names } = await startWithAgent({}, {}, { latencyMs: 20 });
    const leaving = new AbortController();
    const asked = fetch(`${url}/api/v1/tools/attach`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: agentId, ...QUERY }),
      signal: leaving.signal,
    });
    setTimeout(() => leaving.abort(), 30);
    await expect(asked).rejects.toThrow();
    await expect.poll(names).toContain('create_chart');
    await expect.poll(names).toHaveLength(7);
  });

  test('finishes what it has begun although the service ends', async () => {
    const { post, agentId, names, close, letta } = await startWithAgent({}, {}, { latencyMs: 50 });
    const before = letta.calls.length;
    const asked = post('tools/attach', { agent_id: agentId, ...QUERY });
    await expect.poll(() => letta.calls.length).toBeGreaterThan(before);
    expect(await close()).toBe(true);
    expect((await asked).status).toBe(200);
    expect(names()).toContain('create_chart');
  });
});

describe('a dry run', () => {
  test('writes nothing, and what it says is what its plan does', async () => {
    const { post, agentId, names, letta } = await startWithAgent();
    letta.state.servers.set('maps', [{ name: 'create_map', description: 'Create a map' }]);
    const before = names();
    const wish = { agent_id: agentId, query: 'create a chart or a map', min_score: 40 };
    const dry = await post('tools/attach', { ...wish, dry_run: true });
    expect(names()).toEqual(before);
    expect(letta.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
    const { plan_id: planId, ...said } = dry.body.details;
    const real = await post('tools/attach', { agent_id: agentId, plan_id: planId });
    const nameOf = ({ name, match_score: score }: { name: string; match_score: number }) => ({ name, score });
    expect({
      ...real.body.details,
      dry_run: true,
      successful_attachments: real.body.details.successful_attachments.map(nameOf),
    }).toEqual({ ...said, successful_attachments: said.successful_attachments.map(nameOf) });
    expect(real.body.message).toBe(dry.body.message);
  });

  test('has a plan that holds for the same tools alone, for its agent, and is carried out', async () => {
    const { post, agentId, letta, ids } = await startWithAgent();
    const dry = await post('tools/attach', { agent_id: agentId, ...QUERY, dry_run: true });
    const plan = { agent_id: agentId, plan_id: dry.body.details.plan_id };
    letta.state.agents.get(agentId)!.attached.add(ids.list_chart!);
    expect(await post('tools/attach', plan)).toMatchObject({ status: 409, body: { code: 'plan_stale' } });
    // As many as before, of which one is another.
    const { attached } = letta.state.agents.get(agentId)!;
    const [first] = [...attached].filter((id) => id !== ids.list_chart);
    attached.delete(first!);
    expect((await post('tools/attach', plan)).body.code).toBe('plan_stale');
    attached.add(first!);
    attached.delete(ids.list_chart!);
    const other = letta.state.addAgent([], []).id;
    expect((await post('tools/attach', { ...plan, agent_id: other })).status).toBe(400);
    expect((await post('tools/attach', { ...plan, dry_run: true })).status).toBe(400);
    expect((await post('tools/attach', { ...plan, plan_id: 'unknown' })).body.code).toBe('plan_stale');
    expect((await post('tools/attach', plan)).status).toBe(200);
  });
});

describe('a request that comes again', () => {
  test('gets the response to the first one, where it has its key', async () => {
    const { post, agentId, letta } = await startWithAgent();
    const key = { 'idempotency-key': 'k1' };
    const first = await post('tools/attach', { agent_id: agentId, ...QUERY }, key);
    const calls = letta.calls.length;
    const second = await post('tools/attach', { agent_id: agentId, ...QUERY }, key);
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get('idempotent-replay'))).toEqual([null, 'true']);
    expect(letta.calls).toHaveLength(calls);
    const other = await post('tools/attach', { agent_id: agentId, query: 'other' }, key);
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict', success: false } });
    const long = await post('tools/attach', { agent_id: agentId }, { 'idempotency-key': 'k'.repeat(256) });
    expect(long.status).toBe(400);
  });

  test('gets an error that the first one is still in progress', async () => {
    const { post, agentId } = await startWithAgent({}, {}, { latencyMs: 50 });
    const send = () => post('tools/attach', { agent_id: agentId, ...QUERY }, { 'idempotency-key': 'k1' });
    const [first, second] = await Promise.all([send(), send()]);
    const [running, done] = [first, second].toSorted((left, right) => right.status - left.status);
    expect(running).toMatchObject({ status: 409, body: { code: 'in_progress' } });
    expect(running!.headers.get('retry-after')).toBe('1');
    expect(done!.status).toBe(200);
  });

  test('is tried again where the first one failed', async () => {
    const { post, agentId, letta } = await startWithAgent();
    const key = { 'idempotency-key': 'k1' };
    letta.faults = () => ({ status: 500 });
    expect((await post('tools/attach', { agent_id: agentId, ...QUERY }, key)).status).toBe(502);
    letta.faults = undefined;
    expect((await post('tools/attach', { agent_id: agentId, ...QUERY }, key)).status).toBe(200);
  });

  test('is worked on once, where it comes at the same time without a key', async () => {
    const { post, agentId, letta } = await startWithAgent({}, {}, { latencyMs: 20 });
    const send = () => post('tools/attach', { agent_id: agentId, ...QUERY });
    const [first, second] = await Promise.all([send(), send()]);
    expect(first.body).toEqual(second.body);
    expect(letta.calls.filter(({ route }) => route === 'read_agent')).toHaveLength(2);
  });
});

test('an agent has one writer at a time, and the next one sees what the first one did', async () => {
  const { post, agentId, letta } = await startWithAgent({}, {}, { latencyMs: 10 });
  const running = { now: 0, most: 0 };
  letta.faults = ({ route }) => {
    if (route === 'read_agent') running.now++;
    running.most = Math.max(running.most, running.now);
    return undefined;
  };
  const responses = await Promise.all(
    ['create chart', 'list document', 'delete mail'].map((query) =>
      post('tools/attach', { agent_id: agentId, query, min_score: 60 }),
    ),
  );
  const ends = responses.map(({ body }) => body.details.limits);
  // Each begins with what another one has left.
  const befores = ends.map(({ before }) => before).toSorted();
  expect(befores.filter((count) => count === 9)).toHaveLength(1);
});

describe('a request that is wrong', () => {
  const AGENT = 'agent-0b1f6c52-7a53-4c1e-9d55-3f1f0a6f2b11';

  test.each([
    ['{', 'invalid_json'],
    ['{}', 'invalid_request'],
    [{ agent_id: 'unknown' }, 'invalid_request'],
    [{ agent_id: AGENT, limit: 26 }, 'invalid_request'],
    [{ agent_id: AGENT, limit: 0 }, 'invalid_request'],
    [{ agent_id: AGENT, limit: 1.5 }, 'invalid_request'],
    [{ agent_id: AGENT, min_score: 101 }, 'invalid_request'],
    [{ agent_id: AGENT, min_score: '50' }, 'invalid_request'],
    [{ agent_id: AGENT, query: 'x'.repeat(16_385) }, 'invalid_request'],
    [{ agent_id: AGENT, keep_tools: [5] }, 'invalid_request'],
    [{ agent_id: AGENT, keep_tools: Array(1_001).fill('tool-x') }, 'invalid_request'],
    // The contract's own example is of version 1, which Letta does not take.
    [{ agent_id: 'agent-123e4567-e89b-12d3-a456-426614174000', query: 'x' }, 'invalid_request'],
  ])('%j is refused as %s', async (sent, code) => {
    const { post } = await start();
    const { status, body } = await post('tools/attach', sent);
    expect({ status, success: body.success, code: body.code }).toEqual({ status: 400, success: false, code });
    expect(typeof body.error).toBe('string');
  });

  test('names another agent in its header', async () => {
    const { post } = await start();
    expect(
      (await post('tools/attach', { agent_id: AGENT, query: 'x' }, { 'x-agent-id': 'agent-2' })).status,
    ).toBe(400);
  });

  test('is for an agent that Letta does not have', async () => {
    const { post } = await start();
    const { status, body } = await post('tools/attach', { agent_id: AGENT, query: 'x' });
    expect([status, body.code]).toEqual([404, 'agent_not_found']);
  });

  test('is too large, of another type, or for an unknown agent', async () => {
    const { post, url } = await start({ maxBodyBytes: 100 });
    expect((await post('tools/attach', { agent_id: AGENT, query: 'x'.repeat(200) })).status).toBe(413);
    expect((await post('tools/attach', {}, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('tools/nothing', {})).body).toMatchObject({ success: false, code: 'not_found' });
    expect((await fetch(`${url}/api/v1/tools/attach`)).status).toBe(405);
  });

  test('has no token where one is needed', async () => {
    const { post, agentId } = await startWithAgent({ tokens: ['secret-token'] });
    const body = { agent_id: agentId, ...QUERY };
    expect(await post('tools/attach', body)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect((await post('tools/attach', body, { authorization: 'Bearer secret-token' })).status).toBe(200);
  });

  test('comes from a page that calls this machine by another name', async () => {
    const { url } = await start();
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        // fetch sets the host itself.
        const asked = request(`${url}/api/v1/tools`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.on('error', reject).end();
      });
    const { host } = new URL(url);
    expect(
      await Promise.all([host, 'localhost', 'evil.example', '127.0.0.1.evil.example'].map(statusFor)),
    ).toEqual([200, 200, 401, 401]);
  });
});

describe('Letta', () => {
  test('is not configured', async () => {
    const { post } = await start({ lettaBaseUrl: '' });
    expect(await post('tools/search', { query: 'x' })).toMatchObject({
      status: 503,
      body: { code: 'not_configured' },
    });
  });

  test.each([
    ['is down', 'reset', 502, 'letta_error'],
    ['fails', { status: 500 }, 502, 'letta_error'],
    ['talks nonsense', 'nonsense', 502, 'letta_error'],
    ['sends an agent of another form', { status: 200, body: { id: 'x', tools: 'none' } }, 502, 'letta_error'],
    ['sends nothing', { status: 200, body: null }, 502, 'letta_error'],
    ['does not know the password', { status: 401 }, 502, 'letta_error'],
  ] as const)('%s: nothing is changed, and it is said', async (_, fault, status, code) => {
    const { post, agentId, names, letta } = await startWithAgent();
    const before = names();
    letta.faults = () => fault;
    const response = await post('tools/attach', { agent_id: agentId, ...QUERY });
    expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
    expect(names()).toEqual(before);
    expect(letta.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('does not answer in time: nothing is changed', async () => {
    const deadlines: AbortController[] = [];
    const deadline = (ms: number) => {
      const controller = new AbortController();
      // Calls alone are cut short.
      if (ms === 5_000) deadlines.push(controller);
      return controller.signal;
    };
    const { post, agentId, names, letta } = await startWithAgent({}, { deadline });
    const before = names();
    letta.faults = () => 'hang';
    const asked = post('tools/attach', { agent_id: agentId, ...QUERY });
    await expect.poll(() => letta.calls.length).toBeGreaterThanOrEqual(2);
    for (const controller of deadlines) controller.abort();
    expect(await asked).toMatchObject({ status: 504, body: { code: 'letta_timeout' } });
    expect(names()).toEqual(before);
  });

  test('fails in passing: it is asked once more', async () => {
    const { post, agentId, letta, names } = await startWithAgent();
    const seen = new Set<string>();
    letta.faults = ({ route, path }) => {
      if (route === 'list_servers' || seen.has(path)) return undefined;
      seen.add(path);
      return route === 'attach' ? { status: 409 } : 'reset';
    };
    const { status, body } = await post('tools/attach', { agent_id: agentId, ...QUERY });
    expect([status, body.details?.failure_count]).toEqual([200, 0]);
    expect(names()).toContain('create_chart');
  });

  test('loses an attachment: it is a failure, and a warning', async () => {
    const { post, agentId, letta, ids } = await startWithAgent();
    letta.faults = ({ path }) => (path.endsWith(`attach/${ids.create_chart}`) ? 'lost' : undefined);
    const { body } = await post('tools/attach', { agent_id: agentId, ...QUERY });
    expect(body.details.failed_attachments).toMatchObject([
      { success: false, tool_id: ids.create_chart, name: 'create_chart', error: 'lost_after_attach' },
    ]);
    expect(body.details.warnings).toMatchObject([{ code: 'lost_after_attach' }]);
  });

  test('attaches nothing: the agent keeps what it had, and success is false', async () => {
    const { post, agentId, letta, names } = await startWithAgent();
    const before = names();
    letta.faults = ({ route }) => (route === 'attach' ? { status: 500 } : undefined);
    const { status, body } = await post('tools/attach', { agent_id: agentId, ...QUERY });
    expect([status, body.success]).toEqual([200, false]);
    expect(body.details.failed_attachments[0].error).toBe('letta_error');
    expect(names()).toEqual(before);
  });

  test('is asked with its password', async () => {
    const { post, agentId } = await startWithAgent({ lettaPassword: 'p4ss' }, {}, { password: 'p4ss' });
    expect((await post('tools/attach', { agent_id: agentId, ...QUERY })).status).toBe(200);
  });
});

test('logs say what became of an agent, and neither texts nor secrets', async () => {
  const { post, agentId, logs } = await startWithAgent(
    { tokens: ['secret-token'], lettaPassword: 'p4ss' },
    {},
    { password: 'p4ss' },
  );
  await post('tools/attach', { agent_id: agentId, ...QUERY }, { authorization: 'Bearer secret-token' });
  await new Promise((resolve) => setImmediate(resolve));
  const line = logs().find(({ route }) => route === 'attach');
  expect(line).toMatchObject({
    outcome: 'changed',
    success: true,
    queryChars: 14,
    attached: 1,
    before: 9,
    after: 7,
    bestScore: 99.9,
  });
  const text = JSON.stringify(logs());
  for (const secret of ['secret-token', 'p4ss', 'create a chart', agentId])
    expect(text).not.toContain(secret);
});

test('metrics report requests, tools, calls and limits', async () => {
  const { post, agentId, url } = await startWithAgent();
  await post('tools/attach', { agent_id: agentId, ...QUERY });
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const line of [
    'winnow_attach_outcomes_total{outcome="changed"} 1',
    'winnow_attach_tools_total{action="attached"} 1',
    'winnow_attach_tools_total{action="detached"} 3',
    'winnow_attach_letta_calls_total{route="attach",status="200"} 1',
  ])
    expect(text).toContain(line);
});
