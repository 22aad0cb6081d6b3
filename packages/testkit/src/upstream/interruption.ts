import type { Gate } from './gate.ts';

/** Something that happens in the middle of a stream, between two events. */
export type Interruption =
  /** The stream stalls until the gate opens. */
  | { readonly type: 'wait'; readonly gate: Gate }
  /** An SSE comment line, as OpenRouter and proxies send to keep a line alive. */
  | { readonly type: 'comment'; readonly text: string }
  /** Anthropic's `ping` event; in other formats a comment. */
  | { readonly type: 'ping' }
  /** The provider's in-stream error. It ends the stream. */
  | { readonly type: 'error'; readonly message: string; readonly errorType?: string }
  /** The body ends here, as HTTP a clean end, although the message is not complete. */
  | { readonly type: 'end' }
  /** The connection is destroyed. */
  | { readonly type: 'destroy' }
  /** Bytes of any kind, written as they are: an unknown event, garbage, a byte order mark. */
  | { readonly type: 'bytes'; readonly bytes: string | Uint8Array };

/** Stalls the stream until the gate opens. */
export function waitFor(gate: Gate): Interruption {
  return { type: 'wait', gate };
}
