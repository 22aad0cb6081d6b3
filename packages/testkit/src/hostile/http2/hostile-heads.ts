import { FIRST_REMEMBERED, FLAG, FRAME, frame, literalFields, rememberedField, uint32 } from './frames.ts';
import { fieldsOf, headOf, requestOf } from './honest-request.ts';
import { alone, BEGINNING, before, head, type MakeFrames, noise, some } from './make-frames.ts';

/** Attacks on an HTTP/2 server by header blocks, by name. */
export const HOSTILE_HEADS: Readonly<Record<string, MakeFrames>> = {
  'heads that go on and on': alone(({ random, target }) => [
    headOf(target, 1, 0),
    ...some(random.between(1, 2_000), () =>
      frame({
        type: FRAME.continuation,
        stream: 1,
        payload: literalFields([['x', 'y'.repeat(random.below(200))]]),
      }),
    ),
  ]),
  'continuations of nothing': before(({ random }) =>
    some(random.between(1, 300), () =>
      frame({ type: FRAME.continuation, stream: random.below(3), payload: Buffer.alloc(0) }),
    ),
  ),
  'another frame within a head': before(({ target }) => [
    headOf(target, 1, 0),
    frame({ type: FRAME.ping, payload: Buffer.alloc(8) }),
  ]),
  'a head that cannot be unpacked': before(({ random }) => [head(noise(random, random.between(1, 500)))]),
  'a head of one field again and again': before(({ random, target }) => [
    head(
      Buffer.concat([
        literalFields(fieldsOf(target)),
        rememberedField('x', 'y'.repeat(random.between(1, 4_000))),
        ...some(random.between(100, 11_000), () => FIRST_REMEMBERED),
      ]),
    ),
  ]),
  'a long head': before(({ random, target }) => [
    head(literalFields(fieldsOf(target, [['x', 'y'.repeat(random.between(8_000, 15_000))]]))),
  ]),
  'a head of many fields': before(({ random, target }) => [
    head(
      literalFields(
        fieldsOf(
          target,
          Array.from({ length: random.between(200, 1_500) }, (_, at) => [`x${at}`, 'y'] as const),
        ),
      ),
    ),
  ]),
  'an odd head': before(({ random, target }) => [
    head(
      literalFields(
        random.pick([
          [[':status', '200']],
          [
            [':method', 'POST'],
            [':scheme', 'http'],
          ],
          [
            [':method', 'POST'],
            [':scheme', 'http'],
            [':path', ''],
          ],
          [
            [':method', 'CONNECT'],
            [':authority', 'example.com:443'],
          ],
          [...fieldsOf(target), [':path', '/']],
          [...fieldsOf(target), ['X-UPPER', 'a']],
          [...fieldsOf(target), ['connection', 'close']],
          [...fieldsOf(target), ['transfer-encoding', 'chunked']],
          [...fieldsOf(target), ['content-length', '5']],
          [...fieldsOf(target), ['x', 'a\r\nb: c']],
          [...fieldsOf(target), ['x', '\0']],
          [['x', 'a'], ...fieldsOf(target)],
          [...fieldsOf(target), ['te', 'gzip']],
          [],
        ] as (readonly [string, string])[][]),
      ),
    ),
  ]),
  'more padding than there is': before(({ random }) => [
    frame({
      type: random.pick([FRAME.data, FRAME.headers]),
      flags: FLAG.padded | FLAG.endHeaders,
      stream: 1,
      payload: Buffer.from([255, 1, 2]),
    }),
  ]),
  'requests that depend on themselves': before(({ target }) => [
    frame({ type: FRAME.priority, stream: 3, payload: Buffer.concat([uint32(3), Buffer.from([1])]) }),
    frame({
      type: FRAME.headers,
      flags: FLAG.priority | FLAG.endHeaders,
      stream: 5,
      payload: Buffer.concat([uint32(5), Buffer.from([1]), literalFields(fieldsOf(target))]),
    }),
  ]),
  'fields behind the body': ({ target, body }) => ({
    pieces: [
      ...BEGINNING,
      ...requestOf(target, body).slice(0, -1),
      head(
        literalFields([
          ['x', 'y'],
          [':path', '/'],
        ]),
      ),
    ],
    ending: 'wait',
  }),
};
