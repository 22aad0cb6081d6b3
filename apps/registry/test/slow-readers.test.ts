import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { SlowReaders } from '../src/mcp/front-doors.ts';

/** A response of so many bytes, whose client reads when it is told to. */
function response(bytes: number) {
  const taken: (() => void)[] = [];
  const written = new Writable({
    write: (_chunk, _encoding, done) => void taken.push(done),
    highWaterMark: 1,
  });
  written.write(Buffer.alloc(bytes));
  return { written, read: () => taken.shift()!() };
}

describe('responses that wait', () => {
  test('are cut off when they hold too much together, those that wait longest first', () => {
    const lost: number[] = [];
    const readers = new SlowReaders(100, (bytes) => lost.push(bytes));
    const [first, second, third] = [response(40), response(40), response(40)];
    for (const { written } of [first, second]) readers.note(written);
    expect([readers.count, readers.bytes]).toEqual([2, 80]);
    readers.note(third!.written);
    expect([first, second, third].map(({ written }) => written.destroyed)).toEqual([true, false, false]);
    expect([readers.count, readers.bytes]).toEqual([2, 80]);
    expect(lost).toEqual([40]);
  });

  test('are reported once, even if more arrives for a reader that was just cut off', () => {
    const lost: number[] = [];
    const readers = new SlowReaders(100, (bytes) => lost.push(bytes));
    const { written } = response(40);
    readers.note(written);
    readers.cutOff(written);
    readers.cutOff(written);
    expect(lost).toEqual([40]);
  });

  test('are left alone as long as there is room, and one may be larger by itself', () => {
    const readers = new SlowReaders(100);
    const large = response(500);
    readers.note(large.written);
    expect(large.written.destroyed).toBe(false);
    const small = response(10);
    readers.note(small.written);
    expect([large.written.destroyed, small.written.destroyed]).toEqual([true, false]);
  });

  test('make room for themselves among those behind them, too', () => {
    const readers = new SlowReaders(100);
    const [first, second] = [response(40), response(40)];
    for (const { written } of [first, second]) readers.note(written);
    first!.written.write(Buffer.alloc(40));
    readers.note(first!.written);
    expect([first!.written.destroyed, second!.written.destroyed]).toEqual([false, true]);
  });

  test.each(['is read', 'ends and is read', 'loses its client'])('are forgotten when one %s', async (how) => {
    const readers = new SlowReaders(100);
    const { written, read } = response(40);
    const before = written.listenerCount('drain');
    readers.note(written);
    readers.note(written);
    expect(readers.count).toBe(1);
    if (how === 'loses its client') written.destroy();
    if (how === 'ends and is read') written.end();
    if (how !== 'loses its client') read();
    await new Promise((resolve) => setImmediate(resolve));
    expect([readers.count, readers.bytes]).toEqual([0, 0]);
    for (const event of ['drain', 'finish', 'close']) expect(written.listenerCount(event)).toBe(before);
  });
});
