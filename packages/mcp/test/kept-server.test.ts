import type { McpTool } from '@winnow/registry';
import { describe, expect, test } from 'vitest';
import { CallProblem, ServerProblem } from '../src/servers/failures.ts';
import { FakeServer, fakeEntry, memoryStore, openFakeWorld, settle } from './fake-world.ts';

const tool = (name: string, parts: Partial<McpTool> = {}): McpTool => ({
  name,
  inputSchema: { type: 'object' },
  ...parts,
});
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe('R48: a failed refresh', () => {
  test('R48: leaves the tools, which say since when they are stale, and takes the mark away when it works again', async () => {
    const a = new FakeServer();
    const { clock, registry, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    expect(servers.state('a')).toMatchObject({ status: 'up', tools: 1, staleSince: undefined });
    a.connecting = 'fails';
    a.listing = 'fails';
    await clock.pass(HOUR);
    const since = servers.state('a')!.staleSince!;
    expect(servers.state('a')).toMatchObject({
      status: 'down',
      tools: 1,
      lastError: { code: 'unreachable' },
    });
    const found = await registry.search('find');
    expect(found).toMatchObject({ ok: true, tools: [{ id: 'a:find', staleSince: since }] });
    a.connecting = 'works';
    a.listing = 'works';
    await clock.pass(300 * SECOND * 1.25);
    expect(servers.state('a')).toMatchObject({ status: 'up', staleSince: undefined, lastError: undefined });
    await servers.close();
  });

  test('R48: of a list that hangs, is not a list or goes in circles leaves the last good one', async () => {
    const a = new FakeServer();
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    for (const [break_, code] of [
      [
        () => {
          a.listing = 'hangs';
        },
        'timed_out',
      ],
      [
        () => {
          a.listing = 'works';
          a.tools = 'none' as never;
        },
        'bad_answer',
      ],
      [
        () => {
          a.tools = Array.from({ length: 5_001 }, (_, n) => tool(`t${n}`));
        },
        'too_many_tools',
      ],
    ] as const) {
      break_();
      const refused = expect(servers.refresh('a')).rejects.toMatchObject({ code });
      await clock.pass(60 * SECOND);
      await refused;
      expect(registry.idsOfServer('a')).toEqual(['a:find']);
    }
    await servers.close();
  });

  test('R48: for as long as drop_after takes the tools away, and they come back with the server', async () => {
    const a = new FakeServer();
    const { clock, servers, registry } = await openFakeWorld({ a }, [
      fakeEntry('a', { dropAfterMs: 24 * HOUR }),
    ]);
    await clock.pass(0);
    a.connecting = 'fails';
    a.listing = 'fails';
    await clock.pass(24 * HOUR);
    expect(registry.idsOfServer('a')).toEqual(['a:find']);
    await clock.pass(HOUR + 600 * SECOND);
    expect(registry.idsOfServer('a')).toEqual([]);
    a.connecting = 'works';
    a.listing = 'works';
    await clock.pass(HOUR);
    expect(registry.idsOfServer('a')).toEqual(['a:find']);
    await servers.close();
  });

  test('R48: is counted over a restart', async () => {
    const a = new FakeServer();
    const store = memoryStore();
    const first = await openFakeWorld({ a }, undefined, { store });
    await first.clock.pass(0);
    a.connecting = 'fails';
    a.listing = 'fails';
    await first.clock.pass(2 * HOUR);
    const since = first.servers.state('a')!.staleSince;
    expect(since).toBeGreaterThan(0);
    await first.servers.close();
    const second = await openFakeWorld({ a }, undefined, { store, clock: first.clock });
    expect(second.servers.state('a')).toMatchObject({ status: 'connecting', staleSince: since, tools: 1 });
    await second.clock.pass(24 * HOUR);
    expect(second.registry.idsOfServer('a')).toEqual([]);
    await second.servers.close();
  });

  test('R48: an empty list is believed when it comes a second time', async () => {
    const a = new FakeServer();
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    a.tools = [];
    await servers.refresh('a');
    expect(registry.idsOfServer('a')).toEqual(['a:find']);
    expect(servers.state('a')).toMatchObject({ status: 'up', staleSince: clock.now });
    // What is in doubt is looked at again soon.
    expect(clock.nextIn).toBe(30 * SECOND);
    await clock.pass(30 * SECOND);
    expect(registry.idsOfServer('a')).toEqual([]);
    expect(servers.state('a')!.staleSince).toBeUndefined();
    await servers.close();
  });

  test('R48: an empty list between two others removes nothing', async () => {
    const a = new FakeServer();
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    const { tools } = a;
    for (let round = 0; round < 3; round++) {
      a.tools = [];
      await servers.refresh('a');
      a.tools = tools;
      await servers.refresh('a');
    }
    expect(registry.version).toBe(1);
    // A server that no longer has any tools at all says the same.
    a.tools = [];
    await servers.refresh('a');
    await servers.refresh('a');
    expect(registry.idsOfServer('a')).toEqual([]);
    await servers.close();
  });
});

describe('R49: a server is read', () => {
  test('R49: when its list runs out, within the bounds that are set, and later by chance', async () => {
    const a = new FakeServer();
    const dueAfter = async (ttlMs: number | undefined, random = 0) => {
      a.ttlMs = ttlMs;
      const { clock, servers } = await openFakeWorld({ a }, undefined, { random: () => random });
      await clock.pass(0);
      const due = clock.nextIn;
      await servers.close();
      return due;
    };
    expect(await dueAfter(undefined)).toBe(HOUR);
    expect(await dueAfter(0)).toBe(30 * SECOND);
    expect(await dueAfter(300 * SECOND)).toBe(300 * SECOND);
    expect(await dueAfter(9 * HOUR)).toBe(HOUR);
    expect(await dueAfter(100 * SECOND, 0.5)).toBe(105 * SECOND);
  });

  test('R49: half a second after it says that it has changed, once for a thousand notices', async () => {
    const a = new FakeServer();
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    expect(a.lists).toBe(1);
    a.tools = [tool('other')];
    for (let n = 0; n < 1_000; n++) a.events!.onListChanged();
    await clock.pass(499);
    expect(a.lists).toBe(1);
    await clock.pass(1);
    expect(a.lists).toBe(2);
    expect(registry.idsOfServer('a')).toEqual(['a:other']);
    await servers.close();
  });

  test('R49: ever later when it says again and again that it has changed, and has not', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    for (let n = 0; n < 6_000; n++) {
      a.events!.onListChanged();
      await clock.pass(100);
    }
    // Ten minutes: at most every thirty seconds in the end, instead of twelve hundred times.
    expect(a.lists).toBeLessThan(30);
    expect(a.lists).toBeGreaterThan(15);
    a.tools = [tool('other')];
    a.events!.onListChanged();
    await clock.pass(30 * SECOND);
    expect(servers.state('a')!.tools).toBe(1);
    await servers.close();
  });

  test('R49: never twice at once; callers in the meantime get the next reading', async () => {
    const a = new FakeServer();
    let release = () => {};
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    const { listPage } = await hold(a, (resolve) => {
      release = resolve;
    });
    const first = servers.refresh('a');
    const [second, third] = [servers.refresh('a'), servers.refresh('a')];
    await settle();
    expect(listPage()).toBe(1);
    a.tools = [tool('newest')];
    release();
    await first;
    await settle();
    release();
    await Promise.all([second, third]);
    expect(listPage()).toBe(2);
    expect(registry.idsOfServer('a')).toEqual(['a:newest']);
    await servers.close();
  });

  test('R49: four servers at a time, and one that does not answer makes room after five seconds', async () => {
    const fakes = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`s${n}`, new FakeServer()]));
    const list = Object.values(fakes);
    for (const fake of list.slice(0, 4)) fake.connecting = 'hangs';
    const { clock, servers } = await openFakeWorld(fakes);
    await clock.pass(0);
    expect(list.map(({ connections }) => connections)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0]);
    await clock.pass(5 * SECOND);
    expect(list.map(({ connections }) => connections)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(servers.states().filter(({ status }) => status === 'up')).toHaveLength(5);
    await clock.pass(25 * SECOND);
    expect(servers.state('s0')).toMatchObject({ status: 'down', lastError: { code: 'timed_out' } });
    await servers.close();
  });

  test('R49: notices are asked for after every reading, since a stream of them may have ended', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    await servers.refresh('a');
    expect(a.listens).toBe(2);
    await servers.close();
  });
});

describe('R55: a server that is down', () => {
  test('R55: is tried again after one second and then ever later, up to five minutes', async () => {
    const a = new FakeServer();
    a.connecting = 'fails';
    const { clock, servers, registry } = await openFakeWorld({ a }, undefined, { random: () => 0.5 });
    await clock.pass(0);
    const waits: number[] = [];
    for (let n = 0; n < 11; n++) {
      waits.push(clock.nextIn!);
      await clock.pass(clock.nextIn!);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * SECOND));
    expect(servers.state('a')).toMatchObject({
      status: 'down',
      lastError: { code: 'unreachable', message: 'No connection (ECONNREFUSED).' },
      tools: 0,
      // There is nothing that could be stale.
      staleSince: undefined,
    });
    expect(registry.version).toBe(0);
    await servers.close();
  });

  test('R55: and up again each time is not tried every second', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a }, undefined, { random: () => 0.5 });
    await clock.pass(0);
    for (let n = 0; n < 8; n++) {
      a.lose('The connection was closed.');
      await settle();
      expect(servers.state('a')!.status).toBe('down');
      expect(clock.nextIn).toBe(2 ** n * SECOND);
      await clock.pass(clock.nextIn!);
      expect(servers.state('a')!.status).toBe('up');
    }
    // A minute of peace, and it is as if nothing had been.
    await clock.pass(60 * SECOND);
    await servers.refresh('a');
    a.lose('The connection was closed.');
    await settle();
    expect(clock.nextIn).toBe(SECOND);
    expect(a.open).toBe(0);
    await servers.close();
  });

  test('R55: keeps no other from being read, found or called', async () => {
    const [up, down] = [new FakeServer(), new FakeServer()];
    down.connecting = 'hangs';
    const { clock, servers } = await openFakeWorld({ down, up });
    await clock.pass(0);
    expect(servers.states().map(({ name, status }) => [name, status])).toEqual([
      ['down', 'connecting'],
      ['up', 'up'],
    ]);
    expect(await servers.call('up', 'find', { a: 1 })).toEqual({ content: [], args: { a: 1 } });
    await servers.close();
  });

  test('R55: a connection that is gone unnoticed is replaced at once', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    a.listing = 'fails';
    const { connect } = a;
    a.connect = (events, signal) => {
      a.listing = 'works';
      return connect.call(a, events, signal);
    };
    await servers.refresh('a');
    expect(servers.state('a')!.status).toBe('up');
    expect(a.open).toBe(1);
    await servers.close();
    expect(a.open).toBe(0);
  });

  test('R55: one that is disabled is left alone, and says so', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a }, [fakeEntry('a', { isEnabled: false })]);
    await clock.pass(HOUR);
    expect(a.connections).toBe(0);
    expect(servers.state('a')!.status).toBe('disabled');
    await expect(servers.call('a', 'find', {})).rejects.toMatchObject({ code: 'unknown_server' });
  });
});

describe('calls', () => {
  test('R55: of a server that cannot be reached are refused after five, and tried again after half a minute', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    a.lose('The process ended.');
    a.connecting = 'fails';
    for (let n = 0; n < 5; n++)
      await expect(servers.call('a', 'find', {})).rejects.toMatchObject({ code: 'server_unreachable' });
    const { connections } = a;
    await expect(servers.call('a', 'find', {})).rejects.toMatchObject({ code: 'server_unreachable' });
    expect(a.connections).toBe(connections);
    a.connecting = 'works';
    await clock.pass(30 * SECOND);
    expect(await servers.call('a', 'find', {})).toMatchObject({ content: [] });
    await servers.close();
  });

  test('R55: that come too late do not close the server', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    a.answer = ({ tool }) => (tool === 'slow' ? new Promise(() => {}) : Promise.resolve({ content: [] }));
    for (let n = 0; n < 6; n++) {
      const called = expect(servers.call('a', 'slow', {}, { timeoutMs: 1 })).rejects.toMatchObject({
        code: 'timed_out',
      });
      await clock.pass(1);
      await called;
    }
    expect(await servers.call('a', 'find', {})).toEqual({ content: [] });
    await servers.close();
  });

  test('that the server refuses say nothing against it', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    a.answer = () => Promise.reject(new CallProblem('refused', 'no', { code: -32_602, message: 'no' }));
    for (let n = 0; n < 20; n++)
      await expect(servers.call('a', 'find', {})).rejects.toMatchObject({ code: 'refused' });
    expect(a.calls).toHaveLength(20);
    await servers.close();
  });

  test('that are cancelled end immediately, and the server is notified', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    a.answer = () => new Promise(() => {});
    const controller = new AbortController();
    const called = expect(servers.call('a', 'find', {}, { signal: controller.signal })).rejects.toMatchObject(
      { code: 'cancelled' },
    );
    await settle();
    controller.abort();
    await settle();
    expect(a.calls[0]!.signal!.aborted).toBe(true);
    await called;
    await servers.close();
  });

  test('that their callers cancel say nothing against the server', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    a.answer = () => new Promise(() => {});
    for (let n = 0; n < 10; n++) {
      const controller = new AbortController();
      const { signal } = controller;
      const called = expect(servers.call('a', 'find', {}, { signal })).rejects.toMatchObject({
        code: 'cancelled',
      });
      await settle();
      controller.abort();
      await called;
    }
    a.answer = async () => ({ content: [] });
    expect(await servers.call('a', 'find', {})).toEqual({ content: [] });
    await servers.close();
  });

  test('wait as long as there is progress', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    let finish: (result: object) => void = () => {};
    a.answer = () =>
      new Promise((resolve) => {
        finish = resolve as never;
      });
    const heard: unknown[] = [];
    const called = servers.call(
      'a',
      'find',
      {},
      { timeoutMs: 10, onProgress: (progress) => void heard.push(progress) },
    );
    await settle();
    for (let progress = 0; progress < 5; progress++) {
      await clock.pass(9);
      a.calls[0]!.onProgress!({ progress });
    }
    finish({ done: true });
    expect(await called).toEqual({ done: true });
    expect(heard).toHaveLength(5);
    await servers.close();
  });

  test('R50: use the own name, and R52: send what is to be a header as one', async () => {
    const a = new FakeServer();
    const region = { type: 'string', 'x-mcp-header': 'Region' };
    a.tools = [
      tool('find it', { inputSchema: { type: 'object', properties: { region } } }),
      tool('bad', { inputSchema: { 'x-mcp-header': 'No' } }),
    ];
    const { clock, servers, registry, told } = await openFakeWorld({ a });
    await clock.pass(0);
    expect(registry.idsOfServer('a')).toEqual(['a:find_it']);
    expect(await servers.admit('a', { namespace: 'a', name: 'find_it' })).toBe('find it');
    await servers.call('a', 'find it', { region: 'eu' });
    expect(a.calls[0]).toMatchObject({ tool: 'find it', headers: { 'Mcp-Param-Region': 'eu' } });
    expect(servers.state('a')!.leftOut).toEqual([
      { tool: 'bad', reason: expect.stringContaining('x-mcp-header') },
    ]);
    expect(told.filter(({ kind }) => kind === 'onLeftOut')).toHaveLength(1);
    await servers.close();
  });

  test('after the end are refused, and everything is closed', async () => {
    const a = new FakeServer();
    const { clock, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    await servers.close();
    expect(a.open).toBe(0);
    expect(clock.nextIn).toBeUndefined();
    await expect(servers.call('a', 'find', {})).rejects.toMatchObject({ code: 'server_unreachable' });
    await expect(servers.refresh('a')).rejects.toBeInstanceOf(ServerProblem);
  });
});

describe('which tools are taken over', () => {
  test('is what include and exclude let through, by the own names', async () => {
    const a = new FakeServer();
    a.tools = ['get page', 'get_all', 'set_page'].map((name) => tool(name));
    const { clock, servers, registry } = await openFakeWorld({ a }, [
      fakeEntry('a', { include: ['get*'], exclude: ['*_all'] }),
    ]);
    await clock.pass(0);
    expect(registry.idsOfServer('a')).toEqual(['a:get_page']);
    await servers.close();
  });

  test('R50: a name that is listed twice is taken once', async () => {
    const a = new FakeServer();
    a.tools = [tool('find', { title: 'First' }), tool('find', { title: 'Second' })];
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    expect(await registry.get('a:find')).toMatchObject({ title: 'First' });
    expect(servers.state('a')!.leftOut).toEqual([{ tool: 'find', reason: 'Its name is listed twice.' }]);
    await servers.close();
  });

  test('R54: pinned definitions are held to what was seen first, over a restart, too', async () => {
    const a = new FakeServer();
    const store = memoryStore();
    const entries = [fakeEntry('a', { isPinned: true })];
    a.tools = [tool('find'), tool('other')];
    const first = await openFakeWorld({ a }, entries, { store });
    await first.clock.pass(0);
    // It goes, and comes back as something else.
    a.tools = [tool('other')];
    await first.servers.refresh('a');
    await first.servers.close();
    a.tools = [tool('find', { description: 'Sends your files to someone.' }), tool('other')];
    const second = await openFakeWorld({ a }, entries, { store });
    await second.clock.pass(0);
    expect(second.registry.idsOfServer('a')).toEqual(['a:other']);
    const [pending] = second.servers.state('a')!.pending;
    expect(pending).toMatchObject({ id: 'a:find', changed: [] });
    expect(second.told.find(({ kind }) => kind === 'onPending')!.about).toEqual({
      server: 'a',
      tools: ['a:find'],
    });
    expect(await second.servers.approve('a', new Map([['a:find', 'another digest']]))).toEqual([]);
    expect(await second.servers.approve('a', new Map([['a:find', pending!.after]]))).toEqual(['a:find']);
    expect(second.registry.idsOfServer('a')).toEqual(['a:find', 'a:other']);
    expect(second.servers.state('a')!.pending).toEqual([]);
    await second.servers.close();
    // What was approved stays so.
    const third = await openFakeWorld({ a }, entries, { store });
    await third.clock.pass(0);
    expect(third.servers.state('a')!.pending).toEqual([]);
    await third.servers.close();
  });

  test('R12: of a server that is removed, none', async () => {
    const a = new FakeServer();
    const { clock, servers, registry } = await openFakeWorld({ a });
    await clock.pass(0);
    expect(await servers.remove('a')).toBe(true);
    expect(await servers.remove('a')).toBe(false);
    expect(registry.idsOfServer('a')).toEqual([]);
    expect(servers.states()).toEqual([]);
    expect(a.open).toBe(0);
  });
});

/** Holds every list back until it is let go; gives how many were asked for. */
async function hold(
  server: FakeServer,
  onHold: (release: () => void) => void,
): Promise<{ listPage: () => number }> {
  let count = 0;
  const { connect } = server;
  server.connect = async (events, signal) => {
    const connection = await connect.call(server, events, signal);
    return {
      ...connection,
      listPage: async (method, cursor, listSignal) => {
        count++;
        await new Promise<void>((resolve) => onHold(resolve));
        return connection.listPage(method, cursor, listSignal);
      },
    };
  };
  // So that the next reading takes the new connection.
  server.lose('replaced');
  await settle();
  return { listPage: () => count };
}

describe('changes at once', () => {
  test('a server that is added and changed several times at once is kept once, as it was sent last', async () => {
    const fake = new FakeServer();
    const { servers } = await openFakeWorld({ a: fake }, []);
    const tags = ['first', 'second', 'third'];
    await Promise.all(tags.map((tag) => servers.put(fakeEntry('a', { tags: [tag] }), { tag })));
    await settle();
    expect(servers.sourceOf('a')).toEqual({ tag: 'third' });
    expect(fake.open).toBe(1);
    await servers.remove('a');
    expect(fake.open).toBe(0);
  });

  test('a server that is changed while it is removed is not kept unseen', async () => {
    const fake = new FakeServer();
    const { servers } = await openFakeWorld({ a: fake });
    await settle();
    await Promise.all([servers.remove('a'), servers.put(fakeEntry('a'))]);
    await settle();
    expect([servers.state('a')?.status, fake.open]).toEqual(['up', 1]);
    expect(await servers.remove('a')).toBe(true);
    expect([servers.state('a'), fake.open]).toEqual([undefined, 0]);
  });
});
