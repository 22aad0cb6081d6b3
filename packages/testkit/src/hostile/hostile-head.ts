import type { Random } from '../random.ts';
import type { HostileTarget } from './hostile-target.ts';

/** Returns a request's head up to the empty line, with these headers after the target's own. */
export function writeHead({ path, headers }: HostileTarget, more: readonly string[]): string {
  const own = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`POST ${path} HTTP/1.1`, ...own, ...more].join('\r\n')}\r\n\r\n`;
}

/** Valid headers that attack the programs that read, keep, log or forward them. */
export function oddHeaders(random: Random): string[] {
  const count = random.between(1, 500);
  return random.pick<() => string[]>([
    () => [],
    () => [
      `x-winnow-session: ${random.pick(['__proto__', '\u00ff'.repeat(200), 'x'.repeat(9_000), '../../..'])}`,
    ],
    () => ['x-winnow-session: a', 'x-winnow-session: b', 'x-winnow-mode: __proto__'],
    () => [
      `traceparent: ${random.pick(['00-0-0-0', `00-${'f'.repeat(32)}-${'f'.repeat(16)}-ff`, 'x'.repeat(9_000)])}`,
    ],
    () => [`x-request-id: ${random.pick(['{"a":1}', '\u00e9', 'x'.repeat(9_000), '%0d%0aset-cookie: a=b'])}`],
    () => Array.from({ length: count }, (_, at) => `x-${at}: y`),
    () => Array.from({ length: count }, () => 'a:'),
    () => ['connection: authorization, content-length, host', 'te: trailers', 'upgrade: h2c, websocket2'],
    () => ['expect: 100-continue'],
    () => ['expect: 200-maybe'],
    () => [
      `content-type: ${random.pick(['text/plain', 'application/json; charset=utf-16', ';', 'x'.repeat(9_000)])}`,
    ],
    () => [`authorization: Bearer ${' '.repeat(count)}x${' '.repeat(count)}y`],
  ])();
}
