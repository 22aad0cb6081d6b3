import type { Random } from '../../random.ts';
import type { HostileOptions } from '../generate-hostile-exchange.ts';
import { generateHostileBody } from '../hostile-body.ts';
import type { HostileExchange } from '../hostile-exchange.ts';
import { MOST_BODY_BYTES } from './honest-request.ts';
import { HOSTILE_FRAMES } from './hostile-frames.ts';

/** Every kind of connection that is made, by its name. */
export const HTTP2_KINDS: readonly string[] = Object.keys(HOSTILE_FRAMES);

/**
 * Makes one connection of HTTP/2, begun with prior knowledge, that means harm to a service: broken frames, floods, heads that grow, or a hostile body in
 * honest frames. `kind` is one of `HTTP2_KINDS`; any of them when it is left out.
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
