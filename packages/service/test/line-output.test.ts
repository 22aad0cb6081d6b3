import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { LineOutput } from '../src/line-output.ts';

/** Settles one write, with an error or without. */
type Settle = (error?: Error) => void;

/** A stream that is done with a write when the test says so. */
function slowStream() {
  const writes: { readonly text: string; readonly settle: Settle }[] = [];
  const stream = new Writable({
    decodeStrings: false,
    // As stdout does: an error is no end.
    autoDestroy: false,
    write: (text: string, _encoding, settle: Settle) => void writes.push({ text, settle }),
  });
  return { stream, writes };
}

describe('the output of log lines', () => {
  test('hands lines on at once', () => {
    const { stream, writes } = slowStream();
    new LineOutput(stream).write('a\nb\n');
    expect(writes.map(({ text }) => text)).toEqual(['a\nb\n']);
  });

  test('lets a reader that is slow keep so much waiting, and counts the lines that come then', () => {
    const { stream, writes } = slowStream();
    const output = new LineOutput(stream);
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let count = 0; count < 10; count++) output.write(line);
    output.write('a\nb\n');
    expect(output.lost).toBe(4);
    expect(stream.writableLength).toBe(8 * 1024 * 1024);
    writes[0]!.settle();
    output.write('c\n');
    expect(output.lost).toBe(4);
  });

  test('is finished when the reader has everything', async () => {
    const { stream, writes } = slowStream();
    const output = new LineOutput(stream);
    output.write('a\n');
    let isFinished = false;
    const finished = output.finish(new AbortController().signal).then(() => {
      isFinished = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isFinished).toBe(false);
    writes[0]!.settle();
    await new Promise((resolve) => setImmediate(resolve));
    writes[1]!.settle();
    await finished;
  });

  test('is finished when its time is over, whatever the reader does', async () => {
    const { stream } = slowStream();
    const output = new LineOutput(stream);
    output.write('a\n');
    const time = new AbortController();
    const finished = output.finish(time.signal);
    time.abort();
    await finished;
    await output.finish(AbortSignal.abort());
  });

  test('survives a reader that has gone away, and counts what it did not get', async () => {
    const { stream, writes } = slowStream();
    const output = new LineOutput(stream);
    output.write('a\nb\n');
    const failed = new Promise((resolve) => stream.once('error', resolve));
    writes[0]!.settle(Object.assign(new Error(), { code: 'EPIPE' }));
    await failed;
    expect(output.lost).toBe(2);
  });
});
