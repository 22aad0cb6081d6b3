import {
  type FrameDecoder,
  type FrameEncoder,
  type Framing,
  HeldText,
  type StreamEvent,
  type WireEvent,
} from './framing.ts';

/**
 * Server-sent events. Lines may end in LF, CRLF or CR; a byte order mark is dropped; an event at the end of
 * the stream counts even without its blank line.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export const sse: Framing = {
  name: 'sse',
  contentTypes: ['text/event-stream'],
  isStream: true,
  isText: true,
  createDecoder: (limitChars) => new SseDecoder(limitChars),
  createEncoder,
};

/** The most lines of an event: far more than pretty-printed data has, and each costs an object. */
const MAX_LINES = 100_000;

/**
 * Collects lines into blocks; a blank line ends a block. Comments and blank lines between blocks are
 * available as soon as the line is, because they keep connections alive. All of them between two blocks of a
 * piece are one event, so that a flood of them costs no objects.
 */
class SseDecoder implements FrameDecoder {
  readonly #held: HeldText;
  readonly #decoder = new TextDecoder();
  #lineBegins = true;
  #isInBlock = false;
  #isComment = false;
  /** The number of complete lines of the current block. */
  #lines = 0;
  /** Whether the last character was a carriage return, to which a following line feed belongs. */
  #endedInReturn = false;
  /**
   * Whether lines end in CRLF. A carriage return at the end of a piece then waits for its line feed, so that
   * an event never contains half a line end.
   */
  #hasPairs = false;
  #heldReturn = '';

  constructor(limitChars: number) {
    this.#held = new HeldText(limitChars);
  }

  get isOverflown(): boolean {
    return this.#held.isOverflown || this.#lines > MAX_LINES;
  }

  push(bytes: Uint8Array): WireEvent[] {
    if (this.isOverflown) return [];
    const text = this.#decoder.decode(bytes, STREAMED);
    const only = this.#isAtStart ? onlyEvent(text) : undefined;
    return only === undefined ? this.#take(text) : [only];
  }

  /** Whether nothing of a block or a line end has been read that the next text may belong to. */
  get #isAtStart(): boolean {
    return (
      this.#lineBegins &&
      !this.#isInBlock &&
      !this.#endedInReturn &&
      this.#heldReturn === '' &&
      this.#held.isEmpty
    );
  }

  end(): WireEvent[] {
    if (this.isOverflown) return [];
    const events = this.#takeLines(this.#heldReturn + this.#decoder.decode());
    const rest = this.#held.release('');
    return rest === '' || this.isOverflown ? events : [...events, toEvent(rest)];
  }

  #take(piece: string): WireEvent[] {
    const text = this.#heldReturn + piece;
    const endsInReturn = text.charCodeAt(text.length - 1) === RETURN;
    const isCut = endsInReturn && (this.#hasPairs || text.includes('\r\n'));
    this.#heldReturn = isCut ? '\r' : '';
    return this.#takeLines(isCut ? text.slice(0, -1) : text);
  }

  #takeLines(text: string): WireEvent[] {
    const events: WireEvent[] = [];
    const lines = new LineEnds(text);
    /** Start of the text not yet released. */
    let start = 0;
    /** End of the comments and blank lines at its beginning. */
    let gapEnd = 0;
    const closeGap = () => {
      if (gapEnd > start) events.push(toComment(this.#held.release(text.slice(start, gapEnd))));
      start = gapEnd;
    };
    let at = this.#skipLineFeed(text);
    while (at < text.length) {
      if (this.#lineBegins && !this.#isInBlock) {
        const code = text.charCodeAt(at);
        // Only for speed: a blank line as below.
        if (code === LINE_FEED) {
          at += 1;
          gapEnd = at;
          continue;
        }
        this.#isComment = code === COLON;
      }
      const end = lines.next(at);
      if (end === -1) {
        this.#lineBegins = false;
        break;
      }
      const isBlank = this.#lineBegins && end === at;
      const isGap = !this.#isInBlock && (isBlank || this.#isComment);
      at = this.#behind(text, end);
      this.#lineBegins = true;
      if (isGap) gapEnd = at;
      else if (isBlank) {
        closeGap();
        events.push(toEvent(this.#held.release(text.slice(start, at))));
        start = at;
        gapEnd = at;
      } else if (++this.#lines > MAX_LINES) return events;
      this.#isInBlock = !isGap && !isBlank;
      if (!this.#isInBlock) this.#lines = 0;
    }
    closeGap();
    this.#held.hold(text.slice(start));
    return events;
  }

  #skipLineFeed(text: string): number {
    if (!this.#endedInReturn || text === '') return 0;
    this.#endedInReturn = false;
    if (text.charCodeAt(0) !== LINE_FEED) return 0;
    this.#hasPairs = true;
    return 1;
  }

  /** Returns the position after a line end. */
  #behind(text: string, end: number): number {
    const isReturn = text.charCodeAt(end) === RETURN;
    if (isReturn && text.charCodeAt(end + 1) === LINE_FEED) {
      this.#hasPairs = true;
      return end + 2;
    }
    this.#endedInReturn = isReturn && end + 1 === text.length;
    return end + 1;
  }
}

/** Finds line ends in one pass, for any number of calls. */
class LineEnds {
  readonly #text: string;
  #feed = -2;
  #return = -2;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the next line end at or after a position; -1 when there is none. */
  next(position: number): number {
    if (this.#feed !== -1 && this.#feed < position) this.#feed = this.#text.indexOf('\n', position);
    if (this.#return !== -1 && this.#return < position) this.#return = this.#text.indexOf('\r', position);
    if (this.#feed === -1 || this.#return === -1) return Math.max(this.#feed, this.#return);
    return Math.min(this.#feed, this.#return);
  }
}

const STREAMED = { stream: true };

/**
 * Returns the event of a text that is one line of data and a blank line, as most pieces of a stream are; undefined for
 * any other text, which has to be taken line by line.
 */
function onlyEvent(text: string): WireEvent | undefined {
  const end = text.length - 2;
  if (!text.startsWith('data: ') || text.indexOf('\n') !== end || !text.endsWith('\n')) return undefined;
  if (text.includes('\r')) return undefined;
  const source = { framing: sse.name, text };
  return { kind: 'event', name: undefined, id: undefined, data: text.slice('data: '.length, end), source };
}

/** Reads comments and blank lines as one comment with the text of the last. */
function toComment(text: string): WireEvent {
  const at = Math.max(text.lastIndexOf('\n:'), text.lastIndexOf('\r:')) + 1;
  const [line = ''] = text.slice(at).split(/[\r\n]/, 1);
  const last = line.slice(line.charCodeAt(1) === SPACE ? 2 : 1);
  return { kind: 'comment', text: last, source: { framing: sse.name, text } };
}

/** Reads a block of lines; a comment when it has no data, be it lines that are none of a stream. */
function toEvent(text: string): WireEvent {
  const source = { framing: sse.name, text };
  let name: string | undefined;
  let id: string | undefined;
  let data: string | undefined;
  let comment = '';
  for (const line of text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n')) {
    const colon = line.indexOf(':');
    const value =
      colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') name = value === '' ? undefined : value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (colon === 0) comment = value;
    else if (field !== 'retry' && line !== '') comment = line;
  }
  return data === undefined
    ? { kind: 'comment', text: comment, source }
    : { kind: 'event', name, id, data, source };
}

/**
 * Encodes events as blocks. Only the last event of a body may lack its blank line; an event after it gets one
 * first.
 */
function createEncoder(): FrameEncoder {
  let isOpen = false;
  const write = (event: WireEvent): string => {
    const text = toText(event);
    if (text === '') return '';
    const written = isOpen ? `\n\n${text}` : text;
    isOpen = !isClosed(event, text);
    return written;
  };
  return {
    encode: (events) => (events.length === 1 ? write(events[0]!) : events.map(write).join('')),
    end: () => '',
  };
}

function isClosed({ kind }: WireEvent, text: string): boolean {
  if (text.endsWith('\n\n')) return true;
  return kind === 'event' ? BLANK_LINE_AT_END.test(text) : /[\r\n]$/.test(text);
}

const BLANK_LINE_AT_END = /(?:\n|\r(?!\n))(?:\r\n?|\n)$/;

function toText(event: WireEvent): string {
  if (event.kind === 'whole') return event.text;
  if (event.source?.framing === sse.name) return event.source.text;
  if (event.kind === 'event') return writeEvent(event);
  return event.text === '' ? '' : `:${event.text.startsWith(' ') ? '' : ' '}${event.text}\n\n`;
}

function writeEvent({ name, id, data }: StreamEvent): string {
  const fields = `${name === undefined ? '' : `event: ${name}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  return `${fields}data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
