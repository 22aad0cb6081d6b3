import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/index.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';

/** The bytes that reading a body reserved, and its result under this limit. */
function read(text: string, mostBytes = Number.POSITIVE_INFINITY) {
  let taken = 0;
  const take = (bytes: number) => {
    taken += bytes;
    return taken <= mostBytes;
  };
  const [format] = FORMATS;
  const options = { purpose: 'answer', searchToolName: 'search', path: '', query: '', take } as const;
  const reading = format!.reading.readRequest(new BodyBytes([Buffer.from(text)]), options);
  return { taken, reading };
}

const body = (members: string) => `{"messages":[{"role":"user","content":"x"}],${members}}`;

describe('reading a body', () => {
  it('takes memory for its text, for what is made of it, and for the edited body', () => {
    const text = body(`"long":"${'a'.repeat(100_000)}"`);
    expect(read(text).taken).toBeGreaterThanOrEqual(3 * text.length);
    expect(read(text).taken).toBeLessThan(4 * text.length);
  });

  it('takes two bytes for each character where one is not ASCII', () => {
    const text = body(`"long":"${'a'.repeat(100_000)}é"`);
    expect(read(text).taken).toBeGreaterThanOrEqual(5 * text.length);
  });

  it('takes as much as its values need', () => {
    const text = body(`"many":[${'[],'.repeat(100_000)}1]`);
    expect(read(text).taken).toBeGreaterThanOrEqual(100_000 * 64);
  });

  it.each(['"long":"x"', `"many":[${'[],'.repeat(50_000)}1]`])('ends where there is none', (members) => {
    const text = body(members);
    const { taken } = read(text);
    for (const mostBytes of [0, taken - 1]) {
      expect(read(text, mostBytes).reading).toEqual({ ok: false, reason: 'short_of_memory' });
    }
    expect(read(text, taken).reading.ok).toBe(true);
  });
});

it.each(FORMATS)('$name reads nothing without memory', (format) => {
  const options = {
    purpose: 'answer',
    searchToolName: 'search',
    path: '',
    query: '',
    take: () => false,
  } as const;
  const reading = format.reading.readRequest(new BodyBytes([Buffer.from('{}')]), options);
  expect(reading).toEqual({ ok: false, reason: 'short_of_memory' });
});
