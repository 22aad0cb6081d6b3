import type { McpTool, Registration } from '@winnow/registry';
import { describe, expect, test } from 'vitest';
import type { ServerEntry } from '../src/servers/server-entry.ts';
import { FakeServer, fakeEntry, memoryStore, openFakeWorld } from './fake-world.ts';

const READS = { readOnlyHint: true };

const listed = (name: string, parts: Partial<McpTool> = {}): McpTool => ({
  name,
  inputSchema: { type: 'object' },
  ...parts,
});

function registered(namespace: string, name: string, parts: Partial<McpTool> = {}): Registration {
  return { namespace, tool: listed(name, parts), backend: { kind: 'mcp', server: 'crm' } };
}

/** A server whose registry holds tools that were registered on it before. */
async function openWith(
  registrations: readonly Registration[],
  crm: FakeServer,
  parts: Partial<ServerEntry> = {},
) {
  const store = memoryStore();
  const before = await openFakeWorld({}, [], { store });
  if (registrations.length > 0) await before.registry.register(registrations);
  await before.servers.close();
  return openFakeWorld({ crm }, [fakeEntry('crm', parts)], { store });
}

const admitted = (name: string, namespace = 'crm') => ({ namespace, name });

describe('a tool that is registered on a server', () => {
  test('R77: is not called from a namespace that the server does not share, stays listed, and is named', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('wipe')];
    const { clock, registry, servers, told } = await openWith([registered('mine', 'wipe')], crm);
    expect(told).toEqual([
      { kind: 'onRefused', about: { server: 'crm', tools: [{ id: 'mine:wipe', reason: 'not_shared' }] } },
    ]);
    await clock.pass(0);
    expect(registry.idsOfServer('crm')).toEqual(['crm:wipe', 'mine:wipe']);
    expect(servers.refused('crm')).toEqual([{ id: 'mine:wipe', reason: 'not_shared' }]);
    await expect(servers.admit('crm', admitted('wipe', 'mine'))).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('"share_with"'),
    });
    expect(await servers.admit('crm', admitted('wipe'))).toBe('wipe');
    expect(told.filter(({ kind }) => kind === 'onRefused')).toHaveLength(1);
    await servers.close();
  });

  test('R77: is called from a namespace that the operator shares it with', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('wipe')];
    const { servers, clock } = await openWith([registered('mine', 'wipe')], crm, { sharedWith: ['m*'] });
    await clock.pass(0);
    expect(servers.refused('crm')).toEqual([]);
    expect(await servers.admit('crm', admitted('wipe', 'mine'))).toBe('wipe');
    await servers.close();
  });

  test.each([
    ['not_listed', 'never', {}],
    ['excluded', 'drop_all', { exclude: ['drop_*'] }],
    ['excluded', 'drop_all', { include: ['find'] }],
  ] as const)('R77: is not called when it is %s', async (reason, name, parts) => {
    const crm = new FakeServer();
    crm.tools = [listed('find'), listed('drop_all')];
    const { servers, clock } = await openWith([registered('mine', name)], crm, {
      ...parts,
      sharedWith: ['mine'],
    });
    await clock.pass(0);
    expect(servers.refusalOf('crm', admitted(name))).toBe(reason);
    expect(servers.refused('crm')).toEqual([{ id: `mine:${name}`, reason }]);
    await expect(servers.admit('crm', admitted(name))).rejects.toMatchObject({ code: 'not_allowed' });
    await servers.close();
  });

  test('R54: R77: is not called while a changed or new definition awaits approval', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('find'), listed('keep')];
    const { clock, registry, servers } = await openWith([], crm, { isPinned: true, sharedWith: ['mine'] });
    await clock.pass(0);
    // One is changed, and one renamed.
    crm.tools = [listed('find', { description: 'Sends files.' }), listed('kept')];
    await servers.refresh('crm');
    expect(registry.idsOfServer('crm')).toEqual(['crm:find']);
    expect(servers.state('crm')!.pending).toMatchObject([
      { id: 'crm:find', before: expect.any(String), changed: ['description'] },
      { id: 'crm:kept', before: undefined, changed: [] },
    ]);
    await registry.register([registered('mine', 'kept')]);
    for (const tool of [admitted('find'), admitted('kept'), admitted('kept', 'mine')]) {
      expect(servers.refusalOf('crm', tool)).toBe('awaits_approval');
      await expect(servers.admit('crm', tool)).rejects.toMatchObject({ code: 'not_allowed' });
    }
    expect(await servers.approve('crm')).toEqual(['crm:find', 'crm:kept']);
    expect(await servers.admit('crm', admitted('kept', 'mine'))).toBe('kept');
    await servers.close();
  });

  test('R77: waits for the first list after a start, which alone decides', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('find')];
    const { servers } = await openWith([registered('crm', 'wipe')], crm);
    const [wipe, find] = await Promise.allSettled([
      servers.admit('crm', admitted('wipe')),
      servers.admit('crm', admitted('find')),
    ]);
    expect(wipe).toMatchObject({ status: 'rejected', reason: { code: 'not_allowed' } });
    expect(find).toEqual({ status: 'fulfilled', value: 'find' });
    expect(crm.lists).toBe(1);
    await servers.close();
  });

  test('R77: is not called on a server that cannot be read', async () => {
    const crm = new FakeServer();
    crm.connecting = 'fails';
    const { servers } = await openWith([registered('crm', 'wipe')], crm);
    await expect(servers.admit('crm', admitted('wipe'))).rejects.toMatchObject({
      code: 'server_unreachable',
    });
    await servers.close();
  });

  test('R78: has the hints of the own list of a trusted server, and no others', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('look', { annotations: READS }), listed('wipe')];
    const claims = [registered('mine', 'wipe', { annotations: READS })];
    const { clock, registry, servers } = await openWith(claims, crm, {
      trustsAnnotations: true,
      sharedWith: ['mine'],
    });
    const hintsOf = async (id: string) => servers.hintsOf('crm', (await registry.get(id))!);
    expect(await hintsOf('mine:wipe')).toEqual({});
    await clock.pass(0);
    expect(await hintsOf('crm:look')).toEqual(READS);
    expect(await hintsOf('mine:wipe')).toEqual({});
    expect(await servers.admit('crm', admitted('look'), { onlyReads: true })).toBe('look');
    await expect(servers.admit('crm', admitted('wipe', 'mine'), { onlyReads: true })).rejects.toMatchObject({
      code: 'not_read_only',
    });
    await servers.close();
  });

  test('R78: has the hints of the last list until the server is read again', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('look', { annotations: READS })];
    const store = memoryStore();
    const entries = [fakeEntry('crm', { trustsAnnotations: true })];
    const first = await openFakeWorld({ crm }, entries, { store });
    await first.clock.pass(0);
    await first.servers.close();
    crm.connecting = 'hangs';
    const { registry, servers } = await openFakeWorld({ crm }, entries, { store });
    expect(servers.hintsOf('crm', (await registry.get('crm:look'))!)).toEqual(READS);
    await servers.close();
  });

  test('R47: goes with the namespace that its server leaves, if the server listed it', async () => {
    const crm = new FakeServer();
    crm.tools = [listed('find')];
    const { clock, registry, servers } = await openWith([registered('mine', 'wipe')], crm);
    await clock.pass(0);
    await servers.put(fakeEntry('crm', { namespace: 'customers' }));
    await clock.pass(0);
    expect(registry.idsOfServer('crm')).toEqual(['customers:find', 'mine:wipe']);
    await servers.close();
  });
});
