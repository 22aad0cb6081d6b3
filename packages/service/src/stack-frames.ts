/**
 * Where an error was thrown, innermost first.
 *
 * Not its message, which begins the stack and may have lines of its own: parsers and engines quote in it what they were given. A stack that
 * does not begin with it tells nothing.
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
