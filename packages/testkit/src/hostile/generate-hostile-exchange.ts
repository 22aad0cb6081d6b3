import type { Random } from '../random.ts';
import { generateHostileBody } from './hostile-body.ts';
import { encodeHostile } from './hostile-encoding.ts';
import type { HostileExchange } from './hostile-exchange.ts';
import { generateHostileFraming } from './hostile-framing.ts';
import { oddHeaders, writeHead } from './hostile-head.ts';
import type { HostileTarget } from './hostile-target.ts';

/** What one exchange is made with. */
export interface HostileOptions {
  readonly target: HostileTarget;
  /** About how many bytes a body may have, and ten times what a compressed one may unpack to. */
  readonly size: number;
}

/**
 * Makes one exchange that means harm to a service: a hostile body in honest HTTP, an honest or hostile body encoded in a hostile way, or
 * bytes that are no proper HTTP.
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
