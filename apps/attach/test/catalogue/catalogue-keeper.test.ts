import { expect, test } from 'vitest';
import { CatalogueKeeper, type CatalogueReading } from '../../src/catalogue/catalogue-keeper.ts';
import type { OfferedTool } from '../../src/letta/read-answers.ts';
import { createMemoryLetta } from '../memory-letta.ts';

const NEVER = new AbortController().signal;

const offered = (server: string, name: string): OfferedTool => ({
  server,
  name,
  description: `Handles ${name}`,
  inputSchema: undefined,
});

/** A keeper over a Letta in memory that knows the servers `maps` and `mail`, and over what a registry knows. */
function keep(first: readonly OfferedTool[]) {
  const memory = createMemoryLetta();
  memory.state.servers.set('maps', [{ name: 'draw_map' }]);
  memory.state.servers.set('mail', []);
  memory.state.upsertTool('send_mail', {});
  const readings: CatalogueReading[] = [];
  const clock = { ms: 0 };
  let registered = first;
  const keeper = new CatalogueKeeper({
    letta: memory.letta,
    now: () => clock.ms,
    deadline: () => NEVER,
    registered: () => registered,
    onRead: (reading) => readings.push(reading),
    onFailure: () => {},
  });
  const names = () =>
    keeper.catalogue
      .all()
      .map(({ server, name }) => `${server} ${name}`)
      .sort();
  const know = (tools: readonly OfferedTool[]) => {
    registered = tools;
  };
  return { ...memory, clock, memory, keeper, names, readings, know };
}

test('tools of a registry are found where Letta knows their server and not their name', async () => {
  const { keeper, names, readings } = keep([
    offered('maps', 'draw_map'),
    offered('maps', 'find_map'),
    offered('mail', 'send_mail'),
    offered('elsewhere', 'find_elsewhere'),
  ]);
  await keeper.ready();
  expect(names()).toEqual(['maps draw_map', 'maps find_map', 'undefined send_mail']);
  expect(readings).toEqual([{ tools: 3, unreadServers: 0, fromRegistry: 1 }]);
});

test('what changes in the registry is found by the next who asks, without asking Letta', async () => {
  const { keeper, names, calls, know } = keep([]);
  await keeper.ready();
  const asked = calls.length;
  know([offered('mail', 'archive_mail')]);
  await keeper.ready();
  expect(names()).toContain('mail archive_mail');
  know([]);
  await keeper.ready();
  expect(names()).toEqual(['maps draw_map', 'undefined send_mail']);
  expect(calls).toHaveLength(asked);
});

test('a server that does not say what it offers has the tools that the registry knows of it', async () => {
  const { keeper, names, memory } = keep([offered('maps', 'draw_map')]);
  memory.faults = ({ route }) => (route === 'list_server_tools' ? 500 : undefined);
  const warnings = await keeper.ready();
  expect(names()).toEqual(['maps draw_map', 'undefined send_mail']);
  expect(warnings).toMatchObject([{ code: 'unread_servers' }]);
});

test('when Letta does not name its servers, those that it named before count', async () => {
  const { keeper, names, memory } = keep([offered('mail', 'archive_mail')]);
  await keeper.ready();
  const before = names();
  memory.faults = ({ route }) => (route === 'list_servers' ? 500 : undefined);
  await keeper.refresh();
  expect(names()).toEqual(before);
  expect(before).toContain('mail archive_mail');
});

const MINUTE = 60_000;
const listings = (calls: readonly { readonly route: string }[]) =>
  calls.filter(({ route }) => route === 'list_tools').length;

test('tools are read when they are first needed, and after five minutes while no caller waits', async () => {
  const { keeper, names, calls, clock, state, readings } = keep([]);
  await Promise.all([keeper.ready(), keeper.ready()]);
  clock.ms = 5 * MINUTE;
  await keeper.ready();
  expect(listings(calls)).toBe(1);
  state.upsertTool('new_tool', {});
  clock.ms += 1;
  await keeper.ready();
  // The caller gets what was known.
  expect(names()).not.toContain('undefined new_tool');
  await expect.poll(() => readings.length).toBe(2);
  expect(names()).toContain('undefined new_tool');
  clock.ms += 15 * MINUTE + 1;
  state.upsertTool('newer_tool', {});
  await keeper.ready();
  expect(names()).toContain('undefined newer_tool');
});

test('an agent with a tool that is not known has all read again, at most twice a minute', async () => {
  const { keeper, calls, clock, state, readings } = keep([]);
  await keeper.ready();
  const tool = (name: string) => ({
    ...{ id: state.upsertTool(name, {}).id, name, description: '', toolType: 'custom' },
    ...{ tags: [], schema: undefined },
  });
  keeper.meet([tool('one')]);
  await expect.poll(() => readings.length).toBe(2);
  keeper.meet([tool('two')]);
  expect(listings(calls)).toBe(2);
  clock.ms = MINUTE / 2;
  keeper.meet([tool('three')]);
  await expect.poll(() => readings.length).toBe(3);
  keeper.meet([tool('three')]);
  expect(listings(calls)).toBe(3);
});

test('while Letta cannot be read, what is known is found, and a warning says so', async () => {
  const { keeper, memory, clock, names } = keep([]);
  await keeper.ready();
  memory.faults = () => 500;
  keeper.outdate();
  clock.ms = 20 * MINUTE;
  expect(await keeper.ready()).toMatchObject([
    { code: 'stale_catalogue', message: 'The tools of Letta were last read 1200 seconds ago.' },
  ]);
  expect(names()).toHaveLength(2);
});
