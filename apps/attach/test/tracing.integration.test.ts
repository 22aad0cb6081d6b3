import { expect, test } from 'vitest';
import { recordSpans, traceparentOf } from './recorded-spans.ts';
import { addTools, start } from './start.ts';

/** A service whose spans are recorded, an agent with a tool that does not fit, and a Letta that notes what it is sent. */
async function startTraced() {
  const { tracer, spans } = recordSpans();
  const service = await start({ minMcpTools: 0 }, { tracer });
  const ids = addTools(service.letta, ['create']);
  const agent = service.letta.state.addAgent([ids.create_mail!], []);
  return { ...service, spans, agentId: agent.id };
}

const QUERY = { query: 'create a chart', min_score: 80 };

test('every call of Letta is a span below its request, and continues in its trace', async () => {
  const { post, spans, agentId, letta } = await startTraced();
  await post('tools/attach', { agent_id: agentId, ...QUERY });
  const [request] = spans.filter(({ name }) => name === 'POST /api/v1/tools/attach');
  const below = spans.filter(({ parent }) => parent === request!.id);
  expect(below.map(({ name }) => name).toSorted()).toEqual([
    'letta attach',
    'letta detach',
    'letta read_agent',
    'letta read_agent',
    'search',
  ]);
  const port = Number(new URL(letta.url).port);
  const attach = below.find(({ name }) => name === 'letta attach')!;
  expect(attach.attributes).toEqual({
    'server.address': '127.0.0.1',
    'server.port': port,
    'http.request.method': 'PATCH',
    'http.request.resend_count': undefined,
    'http.response.status_code': 200,
    'winnow.letta.call': 'attach',
  });
  // What Letta was sent names the span of the call, of all calls.
  const calls = spans.filter(({ name }) => name.startsWith('letta '));
  expect(letta.calls.map(({ traceparent }) => traceparent).toSorted()).toEqual(
    calls.map(({ id }) => traceparentOf(id)).toSorted(),
  );
  expect(spans.filter(({ isOver }) => !isOver)).toEqual([]);
});

test('reading all tools has a trace of its own, as it is for everybody', async () => {
  const { post, spans, agentId } = await startTraced();
  await post('tools/attach', { agent_id: agentId, ...QUERY });
  const [reading] = spans.filter(({ name }) => name === 'read catalogue');
  expect(reading).toMatchObject({ parent: undefined, isOver: true });
  const names = spans.filter(({ parent }) => parent === reading!.id).map(({ name }) => name);
  expect(names).toEqual(['letta list_tools', 'letta list_servers']);
});

test('the request says what became of the agent, in counts', async () => {
  const { post, spans, agentId } = await startTraced();
  await post('tools/attach', { agent_id: agentId, ...QUERY });
  const [request] = spans.filter(({ name }) => name === 'POST /api/v1/tools/attach');
  expect(request!.attributes).toMatchObject({
    'winnow.attach.outcome': 'changed',
    'winnow.attach.attached': 1,
    'winnow.attach.failed': 0,
    'winnow.attach.detached': 1,
  });
  const told = JSON.stringify(spans);
  for (const secret of [agentId, 'create a chart', 'create_chart']) expect(told).not.toContain(secret);
});

test('a call that fails says why, and one that is sent again says so', async () => {
  const { post, spans, agentId, letta } = await startTraced();
  let resets = 1;
  letta.faults = ({ route }) => {
    if (route === 'attach') return { status: 500 };
    return route === 'read_agent' && resets-- > 0 ? 'reset' : undefined;
  };
  await post('tools/attach', { agent_id: agentId, ...QUERY });
  const reads = spans.filter(({ name }) => name === 'letta read_agent');
  expect(reads.slice(0, 2).map(({ errorType }) => errorType)).toEqual(['unreachable', undefined]);
  expect(reads.slice(0, 2).map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([
    undefined,
    1,
  ]);
  expect(reads[0]!.attributes['http.response.status_code']).toBeUndefined();
  const attach = spans.find(({ name }) => name === 'letta attach')!;
  expect(attach).toMatchObject({ errorType: '500', attributes: { 'http.response.status_code': 500 } });
  const [request] = spans.filter(({ name }) => name === 'POST /api/v1/tools/attach');
  expect(request!.attributes['winnow.attach.outcome']).toBe('rolled_back');
});

test('without tracing, the trace of the client goes through to Letta', async () => {
  const service = await start();
  const ids = addTools(service.letta, ['create']);
  const agent = service.letta.state.addAgent(Object.values(ids), []);
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  await service.post('tools/attach', { agent_id: agent.id, query: '' }, { traceparent, tracestate: 'a=1' });
  expect(service.letta.calls).toMatchObject([{ route: 'read_agent', traceparent }]);
});
