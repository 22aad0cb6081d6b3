import { type StreamEvent, writeEvent } from '../sse.ts';
import { editChunk, writeCallsChunk } from './edit-chunk.ts';

/** The end of a streamed answer, as far as it has come and not been given out. */
export class HeldEnd {
  /** Calls that were decided only at the end, of a stream that gave no stop reason. */
  lateCalls: readonly string[] = [];
  stop: StreamEvent | undefined;
  usage: StreamEvent | undefined;
  done: StreamEvent | undefined;

  /**
   * What is held, in the order in which clients expect it. `identity` are the stream's own members, as JSON;
   * `stopReason` replaces that of the upstream where there is one.
   */
  write(identity: Readonly<Record<string, string>> | undefined, stopReason: string | undefined): string {
    const late = this.lateCalls.length === 0 ? [] : [{ data: writeCallsChunk(identity, this.lateCalls) }];
    const stop = this.stop && { ...this.stop, data: withReason(this.stop.data, stopReason) };
    return [...late, stop, this.usage, this.done].map((event) => (event ? writeEvent(event) : '')).join('');
  }
}

function withReason(chunk: string, stopReason: string | undefined): string {
  if (stopReason === undefined) return chunk;
  return editChunk(chunk, { choice: { finish_reason: JSON.stringify(stopReason) } });
}
