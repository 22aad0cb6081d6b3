import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { type ChangeEvent, type Registry, sightOf } from '../src/index.ts';
import { expectOk, makeRegistry, NOW, registration } from './make-registry.ts';

const LOCAL = { kind: 'local', handler: 'run' } as const;
const MCP = { kind: 'mcp', server: 'main' } as const;

/** Everything that the registry tells of. */
function record(registry: Registry): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  registry.onChange((event) => events.push(event));
  return events;
}

describe('events', () => {
  test('R33: each change has one version, and its events are in order', async () => {
    const registry = await makeRegistry();
    const events = record(registry);
    await registry.register([registration('a', { backend: LOCAL }), registration('b', { namespace: 'n' })]);
    await registry.register([
      registration('a', { backend: MCP }),
      registration('a', { backend: MCP, tags: ['t'] }),
    ]);
    await registry.unregister('a', LOCAL);
    await registry.unregister('a', MCP);
    await registry.unregister('n:b');
    expect(await registry.refresh()).toMatchObject({ ok: true, version: 6 });
    const at = NOW;
    expect(events).toEqual([
      { type: 'tool_registered', id: 'a', backend: LOCAL, version: 1, index: 0, at },
      {
        type: 'tool_registered',
        id: 'n:b',
        backend: { kind: 'local', handler: 'b' },
        version: 1,
        index: 1,
        at,
      },
      { type: 'tool_updated', id: 'a', backend: MCP, version: 2, index: 0, at },
      { type: 'tool_updated', id: 'a', backend: MCP, version: 2, index: 1, at },
      { type: 'backend_removed', id: 'a', backend: LOCAL, version: 3, index: 0, at },
      { type: 'tool_removed', id: 'a', backend: MCP, version: 4, index: 0, at },
      { type: 'tool_removed', id: 'n:b', version: 5, index: 0, at },
      { type: 'refreshed', version: 6, index: 0, at },
    ]);
  });

  test('R33: changes that are asked for at once have versions of their own, without a gap', async () => {
    const registry = await makeRegistry();
    const events = record(registry);
    const changes = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        registry.register([registration(`t${n % 150}`, { version: String(n) })]),
      ),
    );
    expect(changes.map((change) => expectOk(change).version)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 1),
    );
    expect(events.map((event) => event.version)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });

  test('R34: listeners hear in the order in which they came, after the change', async () => {
    const registry = await makeRegistry();
    const heard: string[] = [];
    registry.onChange(() => heard.push(`first at ${registry.version}`));
    registry.onChange(() => heard.push('second'));
    await registry.register([registration('a')]);
    expect(heard).toEqual(['first at 1', 'second']);
  });

  test('R34: a listener that throws is reported and stops no other', async () => {
    const failures: unknown[] = [];
    const registry = await makeRegistry({ onListenerFailure: (error) => failures.push(error) });
    const defect = new Error('a defect of the listener');
    registry.onChange(() => {
      throw defect;
    });
    const events = record(registry);
    expectOk(await registry.register([registration('a')]));
    expect([failures, events.length]).toEqual([[defect], 1]);
  });

  test('R34: unsubscribing twice is harmless, also within a call, and subscribing nothing does nothing', async () => {
    const registry = await makeRegistry();
    let calls = 0;
    const stop = registry.onChange(() => {
      calls++;
      stop();
      stop();
    });
    registry.onChange(undefined as never)();
    await registry.register([registration('a'), registration('b')]);
    stop();
    expect(calls).toBe(1);
  });

  test('R34: a listener that another one takes away hears no more, not even of the same change', async () => {
    const registry = await makeRegistry();
    const heard: string[] = [];
    const stops: (() => void)[] = [];
    registry.onChange(() => {
      heard.push('first');
      for (const stop of stops) stop();
    });
    stops.push(registry.onChange(() => heard.push('second')));
    await registry.register([registration('a')]);
    expect(heard).toEqual(['first']);
  });

  test('R34: a listener may change the registry', async () => {
    const registry = await makeRegistry();
    const nested = new Promise((resolve) => {
      const stop = registry.onChange(() => {
        stop();
        void registry.register([registration('b')]).then(resolve);
      });
    });
    await registry.register([registration('a')]);
    expect(await nested).toMatchObject({ ok: true, version: 2 });
  });

  test('R35: kept changes are replayed from any position', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('a'), registration('b'), registration('c')]);
    await registry.unregister('b');
    const since = (version: number, index = Number.POSITIVE_INFINITY) =>
      expectOk(registry.changesSince({ version, index })).events.map(
        (event) => `${event.version}.${event.index}`,
      );
    expect(since(0)).toEqual(['1.0', '1.1', '1.2', '2.0']);
    expect(since(1, 1)).toEqual(['1.2', '2.0']);
    expect(since(1)).toEqual(['2.0']);
    expect(since(2, 0)).toEqual([]);
    expect(registry.changesSince({ version: 3, index: 0 })).toMatchObject({
      ok: false,
      code: 'stale_cursor',
    });
  });

  test('R35: followers get the kept changes and then new ones, and end with their signal', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('a')]);
    const leave = new AbortController();
    const { events } = expectOk(registry.changes({ version: 0, index: 0 }, leave.signal));
    await registry.register([registration('b')]);
    const ids: unknown[] = [];
    for await (const event of events) {
      ids.push(event.id);
      if (ids.length === 2) await registry.register([registration('c')]);
      if (ids.length === 3) leave.abort();
    }
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(registry.changes({ version: 9, index: 0 }, leave.signal)).toMatchObject({ code: 'stale_cursor' });
  });

  test('R24: a caller that is limited to namespaces is notified only of these', async () => {
    const registry = await makeRegistry();
    const events = record(registry.within(sightOf(['mine'])));
    await registry.register([
      registration('a', { namespace: 'mine' }),
      registration('b', { namespace: 'theirs' }),
    ]);
    await registry.refresh();
    expect(events.map((event) => event.id)).toEqual(['mine:a', undefined]);
    const { events: replayed } = expectOk(
      registry.within(sightOf(['mine'])).changesSince({ version: 0, index: Number.POSITIVE_INFINITY }),
    );
    expect(replayed.map((event) => event.id)).toEqual(['mine:a', undefined]);
  });

  test('R36: readers and writers together see whole changes and lose none', async () => {
    const random = createRandom(36);
    const registry = await makeRegistry();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 30; round++) {
        // Tools of one change always have one version: a reader that sees two versions in a group saw half a change.
        const batch = Array.from({ length: 5 }, (_unused, n) =>
          registration(`w${writer}_${n}`, { version: String(round) }),
        );
        expectOk(await registry.register(batch));
        if (random.chance(0.2)) await registry.unregister(`w${writer}_${random.below(5)}`);
      }
    });
    const reader = async (): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        const { rows } = expectOk(await registry.list({}, { pageSize: 100 }));
        for (let writer = 0; writer < 8; writer++) {
          const own = rows.filter((row) => row.id.startsWith(`w${writer}_`));
          expect(new Set(own.map((row) => row.version)).size).toBeLessThanOrEqual(1);
        }
      }
    };
    await Promise.all([...writers, reader(), reader()]);
    const { rows } = expectOk(await registry.list({}, { pageSize: 100 }));
    expect(rows.filter((row) => row.version === '29').length).toBe(rows.length);
  });

  test('R36: agrees with a plain map after any changes', async () => {
    const random = createRandom(360);
    for (let round = 0; round < 30; round++) {
      const registry = await makeRegistry();
      const model = new Map<string, { version: string; backends: string[] }>();
      let version = 0;
      for (let step = 0; step < 60; step++) {
        const name = `t${random.below(6)}`;
        const handler = `h${random.below(3)}`;
        const known = model.get(name);
        if (random.chance(0.6)) {
          const next = String(random.below(3));
          const isNew = known === undefined || known.version !== next || !known.backends.includes(handler);
          if (isNew) version++;
          model.set(name, {
            version: next,
            backends: [...new Set([...(known?.backends ?? []), handler])],
          });
          expectOk(
            await registry.register([
              registration(name, { version: next, backend: { kind: 'local', handler } }),
            ]),
          );
        } else if (random.chance(0.5)) {
          const outcome = await registry.unregister(name, { kind: 'local', handler });
          expect(outcome.ok).toBe(known?.backends.includes(handler) ?? false);
          if (!outcome.ok || known === undefined) continue;
          version++;
          known.backends = known.backends.filter((other) => other !== handler);
          if (known.backends.length === 0) model.delete(name);
        } else {
          expect((await registry.unregister(name)).ok).toBe(model.delete(name));
          if (known !== undefined) version++;
        }
      }
      expect(registry.version).toBe(version);
      const { rows } = expectOk(await registry.list({}, { pageSize: 100 }));
      expect(rows.map((row) => row.id)).toEqual([...model.keys()].sort());
      for (const [id, tool] of model) {
        const backends = tool.backends.map((handler) => ({ kind: 'local', handler }));
        expect(await registry.get(id)).toMatchObject({ version: tool.version, backends });
      }
    }
  });
});
