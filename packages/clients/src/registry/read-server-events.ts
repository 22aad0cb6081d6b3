/** The default limit on one event, in characters. */
const MAX_EVENT_CHARS = 1024 * 1024;

/**
 * Reads the data of server-sent events: for each piece of the stream that completes events, a list of their
 * data. Other fields and comments are ignored.
 *
 * Throws a RangeError when an event is too large. Source:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function* readServerEvents(
  pieces: AsyncIterable<Uint8Array>,
  maxEventChars = MAX_EVENT_CHARS,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let chars = 0;
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    const events: string[] = [];
    for (const line of lines) {
      const field = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (field.startsWith('data:')) {
        data.push(field.slice('data:'.length).trimStart());
        chars += field.length;
      } else if (field === '' && data.length > 0) {
        events.push(data.join('\n'));
        [data, chars] = [[], 0];
      }
    }
    if (rest.length + chars > maxEventChars) throw new RangeError('an event is too large');
    if (events.length > 0) yield events;
  }
}
