import type { Random } from '../../random.ts';
import type { HostileExchange } from '../hostile-exchange.ts';
import type { HostileTarget } from '../hostile-target.ts';
import { FLAG, FRAME, frame, PREFACE } from './frames.ts';
import { requestOf } from './honest-request.ts';

/** What connections are made from. */
export interface FramesInput {
  readonly random: Random;
  readonly target: HostileTarget;
  readonly body: Buffer;
}

/** Makes one connection. */
export type MakeFrames = (input: FramesInput) => Omit<HostileExchange, 'kind'>;

/** How every client begins. */
export const BEGINNING: readonly Buffer[] = [PREFACE, frame({ type: FRAME.settings })];

/** Frames that come before an honest request: that one is answered, or the connection ends. */
export function before(make: (input: FramesInput) => readonly Buffer[]): MakeFrames {
  return (input) => ({
    pieces: [...BEGINNING, ...make(input), ...requestOf(input.target, input.body, { stream: 99_999 })],
    ending: 'wait',
  });
}

/** Frames of what never becomes a request. */
export function alone(make: (input: FramesInput) => readonly Buffer[]): MakeFrames {
  return (input) => ({ pieces: [...BEGINNING, ...make(input)], ending: 'leave' });
}

/** So many of what is made. */
export function some(count: number, make: (at: number) => Buffer): Buffer[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** Bytes that mean nothing. */
export function noise(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.below(256)));
}

/** A head in one frame, of a request without a body. */
export function head(payload: Uint8Array): Buffer {
  return frame({ type: FRAME.headers, flags: FLAG.endHeaders | FLAG.endStream, stream: 1, payload });
}
