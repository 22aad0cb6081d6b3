import type { Random } from '../random.ts';
import { generateHostileBody } from './hostile-body.ts';
import { encodeHostile } from './hostile-encoding.ts';
import type { HostileExchange } from './hostile-exchange.ts';
import { generateHostileFraming } from './hostile-framing.ts';
import { oddHeaders, writeHead } from './hostile-head.ts';
import type { HostileTarget } from './hostile-target.ts';

/** Input for generating one exchange. */
export interface HostileOptions {
  readonly target: HostileTarget;
  /** Approximate maximum size of a body, in bytes; a compressed body may unpack to ten times as many. */
  readonly size: number;
}

/**
 * Generates one exchange that attacks a service: a hostile body in valid HTTP, a body in a hostile encoding,
 * or invalid HTTP.
 *
 * Deterministic: the same state of `random` gives the same bytes.
 */
export function generateHostileExchange(random: Random, { target, size }: HostileOptions): HostileExchange {
  const body = generateHostileBody({ random, shape: target.shape, size: random.between(1, size) });
  if (random.chance(0.3)) {
    const framing = generateHostileFraming({ random, target, body: body.bytes });
    return { ...framing, kind: `${framing.kind}, ${body.kind}` };
  }
  const encoded = random.chance(0.3)
    ? encodeHostile(random, body.bytes, size * 10)
    : { kind: 'plain', bytes: body.bytes, encoding: undefined };
  const headers = [
    ...oddHeaders(random),
    ...(encoded.encoding === undefined ? [] : [`content-encoding: ${encoded.encoding}`]),
    `content-length: ${encoded.bytes.length}`,
    'connection: close',
  ];
  const pieces = [Buffer.from(writeHead(target, headers), 'latin1'), encoded.bytes];
  return { kind: `${body.kind}, ${encoded.kind}`, pieces, ending: 'wait' };
}
