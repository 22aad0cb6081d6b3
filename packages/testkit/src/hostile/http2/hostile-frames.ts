import { FLAG, FRAME, frame, PREFACE, setting, uint32 } from './frames.ts';
import { headOf, requestOf } from './honest-request.ts';
import { HOSTILE_HEADS } from './hostile-heads.ts';
import { alone, BEGINNING, before, type MakeFrames, noise, some } from './make-frames.ts';

/** Attacks on an HTTP/2 server by frames, by name. */
export const HOSTILE_FRAMES: Readonly<Record<string, MakeFrames>> = {
  ...HOSTILE_HEADS,
  'an honest request': before(() => []),
  'a request in tiny frames': ({ random, target, body }) => ({
    pieces: [...BEGINNING, ...requestOf(target, body, { pieceBytes: random.between(1, 50) })],
    ending: 'wait',
  }),
  'one byte at a time': ({ target, body }) => {
    const all = Buffer.concat([PREFACE, frame({ type: FRAME.settings }), ...requestOf(target, body)]);
    return { pieces: [...some(600, (at) => all.subarray(at, at + 1)), all.subarray(600)], ending: 'wait' };
  },
  'a preface that is none': ({ random }) => ({
    pieces: [
      Buffer.from(
        random.pick([
          'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n',
          'PRI * HTTP/1.1\r\nhost: a\r\n\r\n',
          'PRIX / HTTP/1.1\r\n\r\n',
        ]) + 'x'.repeat(100),
      ),
    ],
    ending: 'half_close',
  }),
  'garbage behind the preface': ({ random }) => ({
    pieces: [PREFACE, noise(random, random.between(1, 3_000))],
    ending: 'half_close',
  }),
  'frames of unknown kinds': before(({ random }) =>
    some(random.between(1, 500), () =>
      frame({
        type: random.between(10, 255),
        flags: random.below(256),
        stream: random.below(9),
        payload: noise(random, random.below(40)),
      }),
    ),
  ),
  'frames of a length that their kind does not have': before(({ random }) => [
    frame({
      type: random.pick([
        FRAME.ping,
        FRAME.reset,
        FRAME.windowUpdate,
        FRAME.settings,
        FRAME.priority,
        FRAME.goAway,
      ]),
      stream: random.below(2),
      payload: noise(random, random.pick([0, 1, 3, 5, 7, 9])),
    }),
  ]),
  'a frame that is too long': before(({ random }) => [
    frame({
      type: random.below(10),
      stream: random.below(4),
      length: random.between(16_385, 2 ** 24 - 1),
      payload: Buffer.alloc(20_000),
    }),
  ]),
  'a frame that never ends': alone(({ random }) => [
    frame({
      type: random.below(10),
      stream: random.below(2),
      length: random.between(10, 16_384),
      payload: Buffer.alloc(5),
    }),
  ]),
  'pings without end': before(({ random }) =>
    some(random.between(1, 5_000), () => frame({ type: FRAME.ping, payload: Buffer.alloc(8) })),
  ),
  'settings without end': before(({ random }) =>
    some(random.between(1, 3_000), () => frame({ type: FRAME.settings, payload: setting(3, 1) })),
  ),
  'a frame with thousands of settings': before(({ random }) => [
    frame({
      type: FRAME.settings,
      payload: Buffer.concat(some(random.between(33, 2_700), (at) => setting((at % 6) + 1, 100))),
    }),
  ]),
  'odd settings': before(({ random }) => [
    frame({
      type: FRAME.settings,
      payload: random.pick([
        setting(4, 2 ** 31),
        setting(random.pick([1, 2, 5, 99]), random.pick([0, 1, 2 ** 31, 2 ** 32 - 1])),
      ]),
    }),
  ]),
  'a window in which nothing fits': ({ target, body }) => ({
    pieces: [PREFACE, frame({ type: FRAME.settings, payload: setting(4, 0) }), ...requestOf(target, body)],
    ending: 'leave',
  }),
  'odd windows': before(({ random }) =>
    some(random.between(1, 2_000), () =>
      frame({
        type: FRAME.windowUpdate,
        stream: random.below(3),
        payload: uint32(random.pick([0, 1, 2 ** 31 - 1])),
      }),
    ),
  ),
  'resets without end': before(({ random, target }) =>
    some(random.between(10, 2_000), (at) =>
      Buffer.concat([
        headOf(target, 2 * at + 1),
        frame({ type: FRAME.reset, stream: 2 * at + 1, payload: uint32(8) }),
      ]),
    ),
  ),
  'requests that end in an error of their own': before(({ random, target }) =>
    some(random.between(10, 1_000), (at) =>
      Buffer.concat([
        headOf(target, 2 * at + 1),
        frame({ type: FRAME.windowUpdate, stream: 2 * at + 1, payload: uint32(0) }),
      ]),
    ),
  ),
  'a thousand open requests': alone(({ random, target }) =>
    some(random.between(101, 1_000), (at) => headOf(target, 2 * at + 1)),
  ),
  'data of no request': before(({ random }) => [
    frame({ type: FRAME.data, stream: random.pick([0, 1, 2, 2 ** 31 - 1]), payload: Buffer.alloc(9) }),
  ]),
  'requests in a wrong order': before(({ random, target }) => [
    headOf(target, random.pick([2, 4, 0])),
    headOf(target, 7),
    headOf(target, 5),
  ]),
  'a promise of the client': before(() => [
    frame({ type: FRAME.push, flags: FLAG.endHeaders, stream: 1, payload: uint32(2) }),
  ]),
  'a goodbye, and a request': before(() => [
    frame({ type: FRAME.goAway, payload: Buffer.concat([uint32(0), uint32(0)]) }),
  ]),
  'a body without an end': alone(({ target, body }) => requestOf(target, body).slice(0, -1)),
  'more data than was allowed': before(({ target }) => [
    headOf(target, 1),
    ...some(8, () => frame({ type: FRAME.data, stream: 1, payload: Buffer.alloc(16_384) })),
  ]),
  'a client that leaves': ({ target, body }) => ({
    pieces: [...BEGINNING, ...requestOf(target, body)],
    ending: 'leave',
  }),
};
