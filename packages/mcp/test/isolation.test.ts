import { describe, expect, test } from 'vitest';
import type { Isolation, ServerEntry, StdioTransport } from '../src/servers/server-entry.ts';
import { FakeServer, fakeEntry, openFakeWorld, settle } from './fake-world.ts';

const STDIO: StdioTransport = {
  ...{ type: 'stdio', command: 'think', args: [], env: {}, network: {} },
  cwd: undefined,
};

async function openThinker(parts: Partial<ServerEntry>, defaultIsolation?: () => Isolation) {
  const think = new FakeServer();
  const entries = [fakeEntry('think', { transport: STDIO, ...parts })];
  const world = await openFakeWorld({ think }, entries, { ...(defaultIsolation && { defaultIsolation }) });
  await world.clock.pass(0);
  const call = (caller: string, session?: string) =>
    world.servers.call(
      'think',
      'find',
      {},
      { holder: { caller, ...(session !== undefined && { session }) } },
    );
  return { ...world, think, call };
}

describe('a server that keeps state', () => {
  test.each<[Isolation | undefined, number]>([
    [undefined, 0],
    ['none', 0],
    ['token', 2],
    ['session', 3],
  ])(
    'R81: with the isolation %s has %i processes for two tokens with three sessions',
    async (isolation, count) => {
      const { call, servers, think } = await openThinker({ isolation });
      for (const [caller, session] of [
        ['a', 'one'],
        ['a', 'two'],
        ['b', 'one'],
        ['a', 'one'],
      ] as const) {
        await call(caller, session);
      }
      expect(servers.state('think')).toMatchObject({ isolation: isolation ?? 'none', processes: count });
      // One more reads the list.
      expect(think.open).toBe(count + 1);
      await servers.close();
      expect(think.open).toBe(0);
    },
  );

  test('R81: has one for each token from the call on before which a second token was admitted', async () => {
    let isolation: Isolation = 'none';
    const { call, servers } = await openThinker({}, () => isolation);
    await call('a');
    expect(servers.state('think')).toMatchObject({ isolation: 'none', processes: 0 });
    isolation = 'token';
    await call('a');
    await call('b');
    expect(servers.state('think')).toMatchObject({ isolation: 'token', processes: 2 });
    await servers.close();
  });

  test('R81: has them for prompts, resources and subscriptions, too', async () => {
    const { servers, think } = await openThinker({ isolation: 'session' });
    think.features = { ...think.features, prompts: true, resources: true };
    think.offers = { 'prompts/list': [{ name: 'plan' }], 'resources/list': [] };
    think.lose('replaced');
    await servers.refresh('think');
    const holder = (session: string) => ({ holder: { caller: 'a', session } });
    const offer = { kind: 'prompt', key: 'plan' } as const;
    await servers.relay('think', { offer, method: 'prompts/get', params: {} }, holder('one'));
    expect(servers.state('think')!.processes).toBe(1);
    const ending = new AbortController();
    const options = { ...holder('two'), signal: ending.signal, onUpdated: () => {} };
    await servers.subscribe('think', 'note://1', options);
    expect(servers.state('think')!.processes).toBe(2);
    ending.abort();
    await servers.close();
    expect(think.open).toBe(0);
  });

  test('R81: a subscription keeps its process, however long it is idle', async () => {
    const { servers, clock } = await openThinker({ isolation: 'token' });
    const ending = new AbortController();
    const options = { holder: { caller: 'a' }, signal: ending.signal, onUpdated: () => {} };
    await servers.subscribe('think', 'note://1', options);
    await clock.pass(3_600_000);
    expect(servers.state('think')!.processes).toBe(1);
    ending.abort();
    await clock.pass(600_000);
    expect(servers.state('think')!.processes).toBe(0);
    await servers.close();
  });

  test('R81: gives clients without a session the process of their token', async () => {
    const { call, servers } = await openThinker({ isolation: 'session' });
    await Promise.all([call('a'), call('a'), call('b'), call('a', 'one')]);
    expect(servers.state('think')!.processes).toBe(3);
    await servers.close();
  });

  test('R81: ends the process that was idle longest for a new caller, and refuses one when none is idle', async () => {
    const { call, servers, think } = await openThinker({ isolation: 'token', maxProcesses: 2 });
    const finish: (() => void)[] = [];
    await call('a');
    await call('b');
    await call('a');
    // The process of b goes.
    await call('c');
    expect(think.connections).toBe(4);
    expect(think.open).toBe(3);
    await call('a');
    expect(think.connections).toBe(4);
    think.answer = () => new Promise((resolve) => finish.push(() => resolve({})));
    const running = [call('a'), call('c')];
    await settle();
    await expect(call('d')).rejects.toMatchObject({ code: 'overloaded' });
    for (const one of finish) one();
    await Promise.all(running);
    think.answer = async () => ({});
    await call('d');
    expect(think.open).toBe(3);
    await servers.close();
  });

  test('R81: ends a process that has no call for ten minutes, and not before', async () => {
    const { call, clock, servers } = await openThinker({ isolation: 'token' });
    await call('a');
    await clock.pass(599_000);
    await call('a');
    await clock.pass(599_000);
    expect(servers.state('think')!.processes).toBe(1);
    await clock.pass(1_000);
    expect(servers.state('think')!.processes).toBe(0);
    await servers.close();
  });

  test('R81: over HTTP without sessions is asked over one connection', async () => {
    const http = fakeEntry('h').transport;
    const { call, servers } = await openThinker({ isolation: 'token', transport: http });
    await call('a');
    await call('b');
    expect(servers.state('think')!.processes).toBe(0);
    await servers.close();
  });
});
