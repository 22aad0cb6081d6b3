import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, memoryStore, register, start, type TestRegistry, tool } from './start.ts';

/** A reader of changes: what it has got so far, and how to wait for more. */
async function follow({ url }: TestRegistry, query = '', headers: Record<string, string> = {}) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(`${url}/v1/registry/changes${query}`, { headers, signal: leave.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    response,
    leave: () => leave.abort(),
    /** Reads until the text has what is looked for, or to the end. */
    until: async (mark: string) => {
      while (!text.includes(mark)) {
        const { done, value } = await reader.read();
        if (done) return `${text}<end>`;
        text += value;
      }
      return text;
    },
  };
}

describe('the feed of changes', () => {
  test('R35: is a stream of events with ids, first those that are asked for', async () => {
    const service = await start();
    await register(service, [tool('a'), tool('b')]);
    const { response, until } = await follow(service, '?since=0');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('winnow-registry-version')).toBe('1');
    await register(service, [tool('c', { namespace: 'n' })]);
    const text = await until('n:c');
    const events = [...text.matchAll(/id: (\S+)\nevent: (\S+)\ndata: (.*)\n\n/g)];
    expect(events.map(([, id, type]) => `${id} ${type}`)).toEqual([
      '1.0 tool_registered',
      '1.1 tool_registered',
      '2.0 tool_registered',
    ]);
    expect(JSON.parse(events[2]![3]!)).toEqual({
      type: 'tool_registered',
      version: 2,
      index: 0,
      id: 'n:c',
      backend: { kind: 'local', handler: 'c' },
      at: '2026-11-21T12:00:00.000Z',
    });
  });

  test('R35: continues after the last event that a reader saw', async () => {
    const service = await start();
    await register(service, [tool('a'), tool('b')]);
    await ask('DELETE', `${service.api}/tools/a`);
    const { until } = await follow(service, '', { 'last-event-id': '1.0' });
    const text = await until('2.0');
    expect([...text.matchAll(/id: (\S+)/g)].map(([, id]) => id)).toEqual(['1.1', '2.0']);
  });

  test('R35: begins now when nothing is asked for', async () => {
    const service = await start();
    await register(service, [tool('a')]);
    const { until } = await follow(service);
    await register(service, [tool('b')]);
    expect(await until('id: 2.0')).not.toContain('id: 1.');
  });

  test('R35: beats every 15 seconds', async () => {
    const intervals: number[] = [];
    const beats: (() => void)[] = [];
    const service = await start(
      {},
      {
        every: (intervalMs, call) => {
          intervals.push(intervalMs);
          beats.push(call);
          return () => {};
        },
      },
    );
    const { until } = await follow(service);
    await until(':\n\n');
    for (const beat of beats) beat();
    expect(await until(':\n\n:\n\n')).toBe(':\n\n:\n\n');
    expect(intervals).toEqual([15_000]);
  });

  test.each([
    ['a version that is to come', '?since=2', 409],
    ['another epoch', '?since=1&epoch=other', 409],
    ['no version', '?since=yesterday', 400],
  ])('R35: %s is refused', async (_, query, status) => {
    const service = await start();
    await register(service, [tool('a')]);
    expect((await ask('GET', `${service.api}/changes${query}`)).status).toBe(status);
  });

  test('R35: distinguishes a future version from one that is no longer kept', async () => {
    const service = await start();
    const { body } = await ask('GET', `${service.api}/changes?since=7`);
    expect(body).toMatchObject({
      error: { code: 'stale_cursor', message: 'This version has not existed: list the tools again.' },
    });
  });

  test('R35: what is no longer kept is stale_cursor', async () => {
    const service = await start();
    const batch = Array.from({ length: 200 }, (_, n) => tool(`t${n}`));
    for (let round = 0; round <= 51; round++) {
      await register(
        service,
        batch.map((one) => ({ ...one, version: String(round) })),
      );
    }
    const { status, body } = await ask('GET', `${service.api}/changes?since=1`);
    expect([status, (body.error as { code: string }).code]).toEqual([409, 'stale_cursor']);
  });

  test('R35: cuts off a reader that does not read, at 1 MiB', async () => {
    const service = await start();
    const { port } = new URL(service.url);
    const socket: Socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET /v1/registry/changes HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const following = async () =>
      /winnow_registry_followers (\d+)/.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1];
    while ((await following()) !== '1');
    const server = 's'.repeat(250);
    for (let round = 0; (await following()) !== '0'; round++) {
      expect(round).toBeLessThan(200);
      const batch = Array.from({ length: 300 }, (_, n) =>
        tool(`t${n}`, { version: String(round), backend: { kind: 'mcp', server } }),
      );
      await register(service, batch);
    }
    expect(await following()).toBe('0');
  });

  test('R35: lets its readers go when the service ends', async () => {
    const service = await start();
    const { until } = await follow(service);
    await until(':');
    expect(await service.close()).toBe(true);
    expect(await until('never')).toBe(':\n\n<end>');
  });

  test('R35: serves as many readers as are allowed', async () => {
    const service = await start({ maxFollowers: 1 });
    const first = await follow(service);
    await first.until(':');
    expect((await ask('GET', `${service.api}/changes`)).status).toBe(503);
  });

  test('R24: notifies a token that is limited to namespaces only of these', async () => {
    const tokens = [
      {
        name: 'all',
        token: 'a'.repeat(16),
        tenant: 'default',
        rights: ['read', 'write'],
        namespaces: undefined,
      },
      { name: 'few', token: 'f'.repeat(16), tenant: 'default', rights: ['read'], namespaces: ['mine'] },
    ] as const;
    const service = await start({ tokens }, { store: memoryStore() });
    const [all, few] = tokens.map(({ token }) => ({ authorization: `Bearer ${token}` }));
    const { response, until } = await follow(service, '?since=0', few);
    const sight = async (headers: Record<string, string>) =>
      (await follow(service, '', headers)).response.headers.get('winnow-registry-sight');
    expect(response.headers.get('winnow-registry-sight')).toBe(await sight(few!));
    expect(await sight(few!)).not.toBe(await sight(all!));
    await register(service, [tool('a', { namespace: 'theirs' }), tool('b', { namespace: 'mine' })], all);
    await register(service, [tool('c', { namespace: 'mine' })], all);
    const text = await until('mine:c');
    expect(text).not.toContain('theirs');
    expect([...text.matchAll(/id: (\S+)/g)].map(([, id]) => id)).toEqual(['1.1', '2.0']);
  });
});
