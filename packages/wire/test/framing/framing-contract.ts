import { describe, expect, test } from 'vitest';
import type { Framing, WireEvent } from '../../src/framing/framing.ts';
import { bytesOf as bytesIn, decodeAll, encodeAll } from '../frames.ts';

/** The fixtures of a framing for `testFramingContract`. */
export interface FramingFixtures {
  readonly framing: Framing;
  /** Complete bodies with the content of their events. */
  readonly bodies: readonly {
    readonly name: string;
    readonly text: string;
    readonly says: readonly string[];
  }[];
  /** The beginning of an event that never ends. */
  readonly endless: string;
  /** Returns an event with this many characters; by default, an endless one cut to that length. */
  readonly writeLong?: (chars: number) => Uint8Array;
}

/** The characters of a long event: fewer than the limit of any framing. */
const LONG_CHARS = 6_000_000;

/** Returns the content of a body's events: their data, or the text of a whole body. */
export function dataOf(events: readonly WireEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'comment') return [];
    return [event.kind === 'event' ? event.data : event.text];
  });
}

function withoutSource(event: WireEvent): WireEvent {
  return event.kind === 'whole' ? event : { ...event, source: undefined };
}

/**
 * Returns the events without blank lines and sources: if a cut splits a line end of two characters, its
 * second half may belong to either event.
 */
function meaningOf(events: readonly WireEvent[]): WireEvent[] {
  return events.filter((event) => event.kind !== 'comment' || event.text !== '').map(withoutSource);
}

/** Tests the behaviour that all framings share. */
export function testFramingContract({ framing, bodies, endless, writeLong }: FramingFixtures): void {
  const bytesOf = (text: string) => bytesIn(framing, text);
  describe(`${framing.name} keeps the contract of framings`, () => {
    test.each(bodies)('reads $name the same, wherever it is cut', ({ text, says }) => {
      const bytes = bytesOf(text);
      const wanted = meaningOf(decodeAll(framing, [bytes]));
      expect(dataOf(wanted)).toEqual(says);
      for (let at = 0; at <= bytes.length; at += 1) {
        const events = decodeAll(framing, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect(meaningOf(events), `cut at ${at}`).toEqual(wanted);
      }
      const singles = decodeAll(
        framing,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      );
      expect(meaningOf(singles)).toEqual(wanted);
    });

    test.each(bodies)('writes $name unchanged, wherever it was cut', ({ text }) => {
      const bytes = bytesOf(text);
      for (let at = 0; at <= bytes.length; at += 1) {
        const events = decodeAll(framing, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect(encodeAll(framing, events), `cut at ${at}`).toBe(text);
      }
    });

    test.each(bodies)(
      'writes $name so that it can be read when every event of it was changed',
      ({ text, says }) => {
        const made = decodeAll(framing, [bytesOf(text)]).map((event) => withoutSource(event));
        expect(dataOf(decodeAll(framing, [bytesOf(encodeAll(framing, made))]))).toEqual(says);
      },
    );

    test.each(bodies)('reads $name again when any event of it was left out', ({ text, says }) => {
      const events = decodeAll(framing, [bytesOf(text)]);
      for (const gone of events.filter(({ kind }) => kind === 'event')) {
        const kept = events.filter((event) => event !== gone);
        const again = decodeAll(framing, [bytesOf(encodeAll(framing, kept))]);
        expect(dataOf(again)).toEqual(dataOf(kept));
      }
      expect(says.length).toBeGreaterThan(0);
    });

    test.each(bodies)('reads $name twice when it continues with itself', ({ text, says }) => {
      const events = decodeAll(framing, [bytesOf(text)]);
      if (!framing.isStream || events.some(({ kind }) => kind === 'whole')) return;
      const again = decodeAll(framing, [bytesOf(encodeAll(framing, [...events, ...events]))]);
      expect(dataOf(again)).toEqual([...says, ...says]);
    });

    test('returns no more events after one exceeds the limit', () => {
      const decoder = framing.createDecoder(100);
      const piece = bytesOf('x'.repeat(60));
      expect(dataOf(decoder.push(bytesOf(endless)))).toEqual([]);
      expect(decoder.isOverflown).toBe(false);
      for (let count = 0; count < 3; count += 1) decoder.push(piece);
      expect(decoder.isOverflown).toBe(true);
      expect([...decoder.push(bytesOf('\n\n')), ...decoder.end()]).toEqual([]);
    });

    test('takes an event of megabytes, piece by piece, in linear time', () => {
      const body = writeLong?.(LONG_CHARS) ?? bytesOf(endless + 'x'.repeat(LONG_CHARS));
      const decoder = framing.createDecoder(Number.MAX_SAFE_INTEGER);
      const events: WireEvent[] = [];
      for (let at = 0; at < body.length; at += 400) events.push(...decoder.push(body.subarray(at, at + 400)));
      expect(dataOf([...events, ...decoder.end()]).join('').length).toBeGreaterThanOrEqual(LONG_CHARS);
    });

    test('writes nothing for events without bytes', () => {
      const encoder = framing.createEncoder();
      expect(encoder.encode([{ kind: 'comment', text: '' }])).toHaveLength(0);
    });
  });
}
