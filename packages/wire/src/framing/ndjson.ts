import { type FrameEncoder, type Framing, TextDecoding, type WireEvent } from './framing.ts';

/**
 * One JSON value per line. The last line may lack its line feed. Blank lines are comments without text; those
 * between two lines of a piece are one.
 *
 * Source: https://github.com/ndjson/ndjson-spec
 */
export const ndjson: Framing = {
  name: 'ndjson',
  contentTypes: ['application/x-ndjson', 'application/jsonl', 'application/json-lines'],
  isStream: true,
  isText: true,
  createDecoder: (limitChars) => new LineDecoder(limitChars),
  createEncoder,
};

class LineDecoder extends TextDecoding {
  protected readonly toLast = toEvent;

  protected take(text: string): WireEvent[] {
    const events: WireEvent[] = [];
    /** Start of the text not yet released: of the blank lines before the current line, if there are any. */
    let start = 0;
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      const next = end + 1;
      // The first line may have begun in an earlier piece.
      const isBlank = at > 0 && isBlankBetween(text, at, end);
      if (!isBlank) {
        if (at > start) events.push(toEvent(text.slice(start, at)));
        events.push(toEvent(this.held.release(text.slice(at, next))));
        start = next;
      }
      at = next;
    }
    if (at > start) events.push(toEvent(text.slice(start, at)));
    this.held.hold(text.slice(at));
    return events;
  }
}

function isBlankBetween(text: string, start: number, end: number): boolean {
  return start === end || text.slice(start, end).trim() === '';
}

function toEvent(text: string): WireEvent {
  const source = { framing: ndjson.name, text };
  const data = text.trim();
  return data === '' ? { kind: 'comment', text: '', source } : { kind: 'event', data, source };
}

/**
 * Encodes events as lines. Only the last line of a body may lack its line feed; an event after it gets one
 * first.
 */
function createEncoder(): FrameEncoder {
  let isOpen = false;
  const write = (event: WireEvent): string => {
    const text = toText(event);
    if (text === '') return '';
    const written = isOpen ? `\n${text}` : text;
    isOpen = !text.endsWith('\n');
    return written;
  };
  return { encode: (events) => events.map(write).join(''), end: () => '' };
}

function toText(event: WireEvent): string {
  if (event.kind === 'whole') return event.text;
  if (event.source?.framing === ndjson.name) return event.source.text;
  // Between the tokens of a JSON value, a line break is only white space.
  return event.kind === 'event' ? `${event.data.replaceAll(/[\r\n]+/g, ' ')}\n` : '';
}
