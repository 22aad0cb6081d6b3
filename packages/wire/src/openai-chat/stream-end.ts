import { type StreamEvent, withData } from '../framing/wire-event.ts';
import { editChunk, writeCallsChunk } from './edit-chunk.ts';

/** The end of a streamed response, as far as it has come and not been given out. */
export class StreamEnd {
  /** Calls that were decided only at the end, of a stream that gave no stop reason. */
  lateCalls: readonly string[] = [];
  stop: StreamEvent | undefined;
  usage: StreamEvent | undefined;
  done: StreamEvent | undefined;

  /**
   * What is held, in the order in which clients expect it. `identity` are the stream's own members, as JSON;
   * `stopReason` replaces that of the upstream where there is one.
   */
  events(
    identity: Readonly<Record<string, string>> | undefined,
    stopReason: string | undefined,
  ): StreamEvent[] {
    const late: StreamEvent | undefined =
      this.lateCalls.length === 0
        ? undefined
        : { kind: 'event', data: writeCallsChunk(identity, this.lateCalls) };
    const stop = this.stop && withData(this.stop, withReason(this.stop.data, stopReason));
    return [late, stop, this.usage, this.done].filter((event) => event !== undefined);
  }
}

function withReason(chunk: string, stopReason: string | undefined): string {
  if (stopReason === undefined) return chunk;
  return editChunk(chunk, { choice: { finish_reason: JSON.stringify(stopReason) } });
}
