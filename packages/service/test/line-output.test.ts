import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { LineOutput } from '../src/log.ts';

/** Settles one write, with or without an error. */
type Settle = (error?: Error) => void;

/** A stream whose writes the test settles. */
function slowStream() {
  const writes: { readonly text: string; readonly settle: Settle }[] = [];
  const stream = new Writable({
    decodeStrings: false,
    // An error does not end the stream, as with stdout.
    autoDestroy: false,
    write: (bytes: Buffer, _encoding, settle: Settle) => void writes.push({ text: bytes.toString(), settle }),
  });
  return { stream, writes };
}

/** An output that gathers lines until the test ends the wait, or not at all. */
function outputOf(stream: Writable, { gathers = false } = {}) {
  const waiting: (() => void)[] = [];
  const output = new LineOutput(stream, (_delayMs, flush) => waiting.push(flush));
  const gather = () => {
    for (const flush of waiting.splice(0)) flush();
  };
  const write = (lines: string) => {
    output.write(lines);
    if (!gathers) gather();
  };
  return { output, write, gather };
}

describe('the output of log lines', () => {
  test('writes lines of the same moment together', () => {
    const { stream, writes } = slowStream();
    const { write, gather } = outputOf(stream, { gathers: true });
    write('a\n');
    write('b\n');
    expect(writes).toEqual([]);
    gather();
    write('c\n');
    gather();
    writes[0]!.settle();
    expect(writes.map(({ text }) => text)).toEqual(['a\nb\n', 'c\n']);
  });

  test('does not wait when many lines arrive at once', () => {
    const { stream, writes } = slowStream();
    const { write } = outputOf(stream, { gathers: true });
    const line = `${'x'.repeat(1023)}\n`;
    for (let count = 0; count < 64; count++) write(line);
    expect(writes.map(({ text }) => text.length)).toEqual([65_536]);
  });

  test('writes the gathered lines when the process is about to end', async () => {
    const { stream, writes } = slowStream();
    const { output, write } = outputOf(stream, { gathers: true });
    write('a\n');
    output.flush();
    output.flush();
    write('b\n');
    void output.finish(new AbortController().signal);
    writes[0]!.settle();
    expect(writes.map(({ text }) => text)).toEqual(['a\n', 'b\n']);
  });

  test('holds a limited amount for a slow reader, and counts the lines beyond it', () => {
    const { stream, writes } = slowStream();
    const { output, write } = outputOf(stream);
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let count = 0; count < 10; count++) write(line);
    write('a\nb\n');
    expect(output.lost).toBe(4);
    expect(stream.writableLength).toBe(8 * 1024 * 1024);
    writes[0]!.settle();
    write('c\n');
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

  test('finishes at its deadline, whatever the reader does', async () => {
    const { stream } = slowStream();
    const output = new LineOutput(stream);
    output.write('a\n');
    const time = new AbortController();
    const finished = output.finish(time.signal);
    time.abort();
    await finished;
    await output.finish(AbortSignal.abort());
  });

  test('survives a reader that has gone away, and counts its lost lines', async () => {
    const { stream, writes } = slowStream();
    const { output, write } = outputOf(stream);
    write('a\nb\n');
    const failed = new Promise((resolve) => stream.once('error', resolve));
    writes[0]!.settle(Object.assign(new Error(), { code: 'EPIPE' }));
    await failed;
    expect(output.lost).toBe(2);
  });
});
