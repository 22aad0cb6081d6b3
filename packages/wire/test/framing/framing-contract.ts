import { describe, expect, test } from 'vitest';
import type { Framing } from '../../src/framing/framing.ts';
import type { WireEvent } from '../../src/framing/wire-event.ts';
import { bytesOf as bytesIn, decodeAll, encodeAll } from '../frames.ts';

/** What `testFramingContract` needs to know of a framing. */
export interface FramingFixtures {
  readonly framing: Framing;
  /** Bodies with what their events say; every one of them is complete. */
  readonly bodies: readonly {
    readonly name: string;
    readonly text: string;
    readonly says: readonly string[];
  }[];
  /** The beginning of an event that never ends. */
  readonly endless: string;
  /** An event of so many characters; what never ends, and so much of it, unless told. */
  readonly writeLong?: (chars: number) => Uint8Array;
}

/** What a long event has, in characters: less than any framing takes. */
const LONG_CHARS = 6_000_000;

/** What the events of a body say: their data, or their text when it is whole. */
export function dataOf(events: readonly WireEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'comment') return [];
    return [event.kind === 'event' ? event.data : event.text];
  });
}

function withoutSource(event: WireEvent): WireEvent {
  return event.kind === 'whole' ? event : { ...event, source: undefined };
}

/** What the events are, apart from blank lines and sources: where a line end of two characters is cut, its second half may go with either. */
function meaningOf(events: readonly WireEvent[]): WireEvent[] {
  return events.filter((event) => event.kind !== 'comment' || event.text !== '').map(withoutSource);
}

/** The behaviour that every framing has in common. */
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

    test.each(bodies)('writes $name as it came, wherever it was cut', ({ text }) => {
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

    test.each(bodies)('reads $name twice when it goes on with itself', ({ text, says }) => {
      const events = decodeAll(framing, [bytesOf(text)]);
      if (!framing.isStream || events.some(({ kind }) => kind === 'whole')) return;
      const again = decodeAll(framing, [bytesOf(encodeAll(framing, [...events, ...events]))]);
      expect(dataOf(again)).toEqual([...says, ...says]);
    });

    test('gives no more events once one is beyond the limit', () => {
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

    test('writes nothing for what has no bytes', () => {
      const encoder = framing.createEncoder();
      expect(encoder.encode([{ kind: 'comment', text: '' }])).toHaveLength(0);
    });
  });
}
