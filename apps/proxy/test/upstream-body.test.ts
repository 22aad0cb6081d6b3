import { describe, expect, test } from 'vitest';
import { UpstreamBody } from '../src/upstream/upstream-body.ts';

/** A body, and its calls on its connection. */
function bodyWithSource(onResume: (body: UpstreamBody) => void = () => {}) {
  const calls: string[] = [];
  const body: UpstreamBody = new UpstreamBody({
    pause: () => calls.push('pause'),
    resume: () => {
      calls.push('resume');
      onResume(body);
    },
    abort: () => calls.push('abort'),
  });
  return { body, calls };
}

const text = (value: string) => Buffer.from(value);
const LARGE = Buffer.alloc(64 * 1024);

async function readAll(body: UpstreamBody): Promise<string> {
  let read = '';
  for await (const piece of body) read += piece;
  return read;
}

describe('a body', () => {
  test('delivers pieces that arrived before and after its reader in order', async () => {
    const { body } = bodyWithSource();
    body.push(text('a'));
    body.push(text('b'));
    const read = readAll(body);
    await Promise.resolve();
    body.push(text('c'));
    body.finish();
    expect(await read).toBe('abc');
  });

  test('tells once of its first piece, also if that has arrived', () => {
    const told: string[] = [];
    const { body } = bodyWithSource();
    body.onFirst(() => told.push('early'));
    expect(told).toEqual([]);
    body.push(text('a'));
    body.push(text('b'));
    body.onFirst(() => told.push('late'));
    expect(told).toEqual(['early', 'late']);
  });

  test('that breaks off delivers its pieces, and then the error', async () => {
    const { body } = bodyWithSource();
    body.push(text('a'));
    body.fail(new Error('broken'));
    const pieces = body[Symbol.asyncIterator]();
    expect(await pieces.next()).toEqual({ value: text('a'), done: false });
    await expect(pieces.next()).rejects.toThrow('broken');
  });

  test('that breaks off during a wait delivers the error', async () => {
    const { body } = bodyWithSource();
    const read = readAll(body);
    body.fail(new Error('broken'));
    await expect(read).rejects.toThrow('broken');
  });

  test('slows the upstream down while too much is buffered, and no longer', () => {
    const { body, calls } = bodyWithSource();
    body.push(LARGE.subarray(1));
    expect(calls).toEqual([]);
    body.push(text('a'));
    expect(calls).toEqual(['pause']);
    body.push(text('b'));
    body.take();
    body.take();
    expect(calls).toEqual(['pause']);
    expect(body.take()).toEqual(text('b'));
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('does not slow the upstream down if its bytes are read at once', () => {
    const { body, calls } = bodyWithSource();
    body.onMore(() => body.take());
    for (let count = 0; count < 100; count++) body.push(LARGE);
    expect(calls).toEqual([]);
  });

  test('delivers in order what the upstream sends as soon as it resumes', async () => {
    const { body } = bodyWithSource((resumed) => {
      resumed.push(text('b'));
      resumed.finish();
    });
    body.push(LARGE);
    expect(await readAll(body)).toBe(`${LARGE}b`);
  });

  test('whose reader leaves is discarded, and its connection closed', async () => {
    const { body, calls } = bodyWithSource();
    body.push(text('a'));
    body.push(text('b'));
    for await (const piece of body) {
      expect(String(piece)).toBe('a');
      break;
    }
    expect(calls).toEqual(['abort']);
    body.push(text('c'));
    body.fail(new Error('aborted'));
    expect([body.take(), body.end]).toEqual([undefined, { kind: 'unwanted' }]);
  });

  test('that is complete is discarded without closing the connection', () => {
    const { body, calls } = bodyWithSource();
    body.push(text('a'));
    body.finish();
    body.destroy();
    expect(calls).toEqual([]);
    expect(body.end).toEqual({ kind: 'unwanted' });
  });

  test('has not ended before its last piece is taken', () => {
    const { body } = bodyWithSource();
    const ends: unknown[] = [];
    body.onOver((end) => ends.push(end));
    body.push(text('a'));
    body.finish();
    expect([body.end, ends]).toEqual([undefined, []]);
    body.take();
    expect([body.end, ends]).toEqual([{ kind: 'whole' }, [{ kind: 'whole' }]]);
  });

  test('reports its end once, even to a late listener', () => {
    const { body } = bodyWithSource();
    body.fail(new Error('broken'));
    body.destroy();
    const ends: unknown[] = [];
    body.onOver((end) => ends.push(end));
    expect(ends).toEqual([{ kind: 'broken', error: new Error('broken') }]);
  });

  test('shows a tap everything, once, whichever way it is read', () => {
    const { body } = bodyWithSource();
    const seen: string[] = [];
    body.push(text('a'));
    body.tap((piece) => seen.push(String(piece)));
    body.push(text('b'));
    body.take();
    body.take();
    expect(seen).toEqual(['a', 'b']);
  });
});
