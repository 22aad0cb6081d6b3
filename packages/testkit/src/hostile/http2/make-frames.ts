import type { Random } from '../../random.ts';
import type { HostileExchange } from '../hostile-exchange.ts';
import type { HostileTarget } from '../hostile-target.ts';
import { FLAG, FRAME, frame, PREFACE } from './frames.ts';
import { requestOf } from './honest-request.ts';

/** Input for generating connections. */
export interface FramesInput {
  readonly random: Random;
  readonly target: HostileTarget;
  readonly body: Buffer;
}

/** Generates one connection. */
export type MakeFrames = (input: FramesInput) => Omit<HostileExchange, 'kind'>;

/** The frames with which every client begins. */
export const BEGINNING: readonly Buffer[] = [PREFACE, frame({ type: FRAME.settings })];

/** Frames before a valid request; the server either responds to the request or ends the connection. */
export function before(make: (input: FramesInput) => readonly Buffer[]): MakeFrames {
  return (input) => ({
    pieces: [...BEGINNING, ...make(input), ...requestOf(input.target, input.body, { stream: 99_999 })],
    ending: 'wait',
  });
}

/** Frames that never become a request. */
export function alone(make: (input: FramesInput) => readonly Buffer[]): MakeFrames {
  return (input) => ({ pieces: [...BEGINNING, ...make(input)], ending: 'leave' });
}

/** Repeats a generator. */
export function some(count: number, make: (at: number) => Buffer): Buffer[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** Returns random bytes. */
export function noise(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.below(256)));
}

/** Writes a head in one frame, for a request without a body. */
export function head(payload: Uint8Array): Buffer {
  return frame({ type: FRAME.headers, flags: FLAG.endHeaders | FLAG.endStream, stream: 1, payload });
}
