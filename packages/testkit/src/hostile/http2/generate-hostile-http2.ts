import type { Random } from '../../random.ts';
import type { HostileOptions } from '../generate-hostile-exchange.ts';
import { generateHostileBody } from '../hostile-body.ts';
import type { HostileExchange } from '../hostile-exchange.ts';
import { MOST_BODY_BYTES } from './honest-request.ts';
import { HOSTILE_FRAMES } from './hostile-frames.ts';

/** The names of all kinds of connections. */
export const HTTP2_KINDS: readonly string[] = Object.keys(HOSTILE_FRAMES);

/**
 * Generates one HTTP/2 connection with prior knowledge that attacks a service: broken frames, floods, growing
 * heads, or a hostile body in valid frames. `kind` is one of `HTTP2_KINDS`; a random one by default.
 *
 * Deterministic: the same state of `random` gives the same bytes.
 */
export function generateHostileHttp2(
  random: Random,
  { target, size }: HostileOptions,
  kind = random.pick(HTTP2_KINDS),
): HostileExchange {
  const body = generateHostileBody({
    random,
    shape: target.shape,
    size: random.between(1, Math.min(size, MOST_BODY_BYTES)),
  });
  return {
    ...HOSTILE_FRAMES[kind]!({ random, target, body: body.bytes }),
    kind: `HTTP/2, ${kind}, ${body.kind}`,
    isHttp2: true,
  };
}
