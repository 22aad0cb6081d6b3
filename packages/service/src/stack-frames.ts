/**
 * Returns the stack frames of an error, innermost first.
 *
 * The message, which begins the stack and may have several lines, is left out, because parsers and engines
 * quote their input in it. A stack that does not begin with the message gives no frames.
 */
export function stackFrames({ message, stack = '' }: Error): string[] {
  const messageAt = stack.indexOf(message);
  if (messageAt < 0) return [];
  return stack
    .slice(messageAt + message.length)
    .split('\n')
    .filter((line) => line.startsWith(FRAME))
    .map((line) => line.slice(FRAME.length));
}

const FRAME = '    at ';
