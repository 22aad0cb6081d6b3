import { DEFAULT_SETTINGS, type Settings, startAttach } from '@winnow/attach';
import { startLetta } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { registerTools, sendJson, startTestRegistry, until } from './registry-stack.ts';

const tool = (server: string, name: string, description: string) => ({
  namespace: server,
  tool: { name, description, inputSchema: { type: 'object' } },
  backend: { kind: 'mcp', server },
});

const MAPS = [
  tool('maps', 'draw_map', 'Draw a map of a city.'),
  tool('maps', 'find_route', 'Find a route through a city.'),
  tool('elsewhere', 'draw_sketch', 'Draw a sketch of a map.'),
  { ...tool('maps', 'draw_locally', 'Draw a map here.'), backend: { kind: 'local', handler: 'x' } },
];

/** A Letta whose MCP server does not list its tools in time, and a service that follows a registry. */
async function startFollowing(registry: string, settings: Partial<Settings> = {}) {
  const letta = await startLetta();
  letta.state.servers.set('maps', [
    { name: 'draw_map', description: 'Draw a map of a city.' },
    { name: 'find_route', description: 'Find a route through a city.' },
  ]);
  letta.faults = ({ route }) => (route === 'list_server_tools' ? { status: 500 } : undefined);
  let lines = '';
  let ids = 0;
  const service = await startAttach(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0, lettaBaseUrl: letta.url, registry, ...settings },
    {
      now: () => performance.now(),
      wallClock: () => Date.now(),
      makeId: () => `test-${++ids}`,
      writeLog: (text) => {
        lines += text;
      },
      wait: () => new Promise((resolve) => setImmediate(resolve)),
    },
  );
  onTestFinished(async () => {
    await service.close();
    await letta.close();
  });
  const agent = letta.state.addAgent([], []);
  const post = (route: string, body: object) =>
    sendJson('POST', `${service.url}/api/v1/tools/${route}`, body);
  const find = async (query: string) => {
    const { body } = await post('search', { query });
    return (body as unknown as { name: string }[]).map(({ name }) => name);
  };
  const events = () =>
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { letta, agentId: agent.id, url: service.url, post, find, events };
}

const metric = async (url: string, name: string) => {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
};

test('a tool that only the registry tells of is registered through its MCP server, and attached', async () => {
  const registry = await startTestRegistry();
  await registerTools(registry.url, MAPS);
  const { letta, agentId, post, find, url } = await startFollowing(registry.url);
  expect(
    await until(
      () => find('draw a map'),
      ({ length }) => length > 0,
    ),
  ).toEqual(['draw_map', 'find_route']);
  expect(await metric(url, 'winnow_followed_tools{service="attach"}')).toBe(4);
  const { body } = await post('attach', { agent_id: agentId, query: 'draw a map', min_score: 60 });
  expect(body.details).toMatchObject({ success_count: 1, failure_count: 0 });
  expect(letta.namesOf(agentId)).toEqual(['draw_map']);
  expect([...letta.state.tools.values()]).toMatchObject([
    { name: 'draw_map', tool_type: 'external_mcp', tags: ['mcp:maps'] },
  ]);
  // Letta knows it now: asking again finds one tool, registers none and changes nothing.
  const again = await post('attach', { agent_id: agentId, query: 'draw a map', min_score: 60 });
  expect(again.body.details).toMatchObject({ passed_filter_count: 1, success_count: 0 });
  expect(letta.calls.filter(({ route }) => route === 'register_tool')).toHaveLength(1);
});

test('what comes to the registry is found without asking Letta again, and what goes is not', async () => {
  const registry = await startTestRegistry();
  const { letta, find } = await startFollowing(registry.url);
  await find('route');
  const readings = () => letta.calls.filter(({ route }) => route === 'list_tools').length;
  const before = readings();
  await registerTools(registry.url, MAPS);
  expect(
    await until(
      () => find('route'),
      ({ length }) => length > 0,
    ),
  ).toEqual(['find_route', 'draw_map']);
  await sendJson('DELETE', `${registry.url}/v1/registry/tools/maps:find_route`);
  const left = await until(
    () => find('route'),
    ({ length }) => length < 2,
  );
  expect(left).toEqual(['draw_map']);
  expect(readings()).toBe(before);
});

test('while the registry is away, what is known of it is attached, and that it is away is said once', async () => {
  const registry = await startTestRegistry();
  await registerTools(registry.url, MAPS);
  const { letta, agentId, post, find, events, url } = await startFollowing(registry.url);
  await until(
    () => find('draw a map'),
    ({ length }) => length > 0,
  );
  await registry.close();
  const awaySeconds = () => metric(url, 'winnow_registry_away_seconds{service="attach"}');
  await until(awaySeconds, (seconds) => seconds > 2);
  const { status, body } = await post('attach', { agent_id: agentId, query: 'draw a map', min_score: 60 });
  expect([status, (body.details as { success_count: number }).success_count]).toEqual([200, 1]);
  expect(letta.namesOf(agentId)).toEqual(['draw_map']);
  const away = events().filter(({ event, reason }) => event === 'registry_away' && reason === 'unreachable');
  expect(away).toHaveLength(1);
});

test('a registry that was never there costs nothing but a line of the log', async () => {
  const registry = await startTestRegistry();
  await registry.close();
  const { letta, agentId, post, events } = await startFollowing(registry.url);
  letta.state.upsertTool('draw_chart', { tags: ['mcp:charts'], description: 'Draw a chart' });
  const { status } = await post('attach', { agent_id: agentId, query: 'draw a chart', min_score: 60 });
  expect(status).toBe(200);
  expect(letta.namesOf(agentId)).toEqual(['draw_chart']);
  await until(
    async () => events(),
    (all) => all.some(({ event }) => event === 'registry_away'),
  );
});

test('a token finds what it may see, and nothing when it is not accepted', async () => {
  const tenant = { tenant: 'default', rights: ['read'] as const };
  const registry = await startTestRegistry({
    tokens: [
      {
        name: 'admin',
        token: 'token-of-the-admin',
        tenant: 'default',
        rights: ['read', 'write'],
        namespaces: undefined,
      },
      { name: 'maps', token: 'token-of-the-maps', ...tenant, namespaces: ['maps'] },
      { name: 'other', token: 'token-of-others', ...tenant, namespaces: ['elsewhere'] },
    ] as never,
  });
  await registerTools(registry.url, MAPS, 'token-of-the-admin');
  const allowed = await startFollowing(registry.url, { registryToken: 'token-of-the-maps' });
  await until(
    () => allowed.find('draw a map'),
    ({ length }) => length > 0,
  );
  expect(await metric(allowed.url, 'winnow_followed_tools{service="attach"}')).toBe(3);
  const other = await startFollowing(registry.url, { registryToken: 'token-of-others' });
  await until(
    async () => other.events(),
    (all) => all.some(({ event }) => event === 'registry_followed'),
  );
  expect(await metric(other.url, 'winnow_followed_tools{service="attach"}')).toBe(1);
  expect(await other.find('draw a map')).toEqual([]);
  const refused = await startFollowing(registry.url, { registryToken: 'token-of-no_one' });
  await until(
    async () => refused.events(),
    (all) => all.some(({ event, reason }) => event === 'registry_away' && reason === 'refused'),
  );
  expect(await refused.find('draw a map')).toEqual([]);
  expect(JSON.stringify(refused.events())).not.toContain('token-of-no_one');
});
