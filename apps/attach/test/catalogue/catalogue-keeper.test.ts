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
  let registered = first;
  const keeper = new CatalogueKeeper({
    letta: memory.letta,
    now: () => 0,
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
  return { ...memory, memory, keeper, names, readings, know };
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
