import type { Gate } from './gate.ts';

/** An interruption of a stream between two events. */
export type Interruption =
  /** The stream stalls until the gate opens. */
  | { readonly type: 'wait'; readonly gate: Gate }
  /** An SSE comment line, which OpenRouter and proxies send as a keep-alive. */
  | { readonly type: 'comment'; readonly text: string }
  /** Anthropic's `ping` event; in other formats a comment. */
  | { readonly type: 'ping' }
  /** The provider's in-stream error, which ends the stream. */
  | { readonly type: 'error'; readonly message: string; readonly errorType?: string }
  /** The body ends here, cleanly in terms of HTTP, although the message is incomplete. */
  | { readonly type: 'end' }
  /** The connection is destroyed. */
  | { readonly type: 'destroy' }
  /** Raw bytes of any kind: an unknown event, garbage, a byte order mark. */
  | { readonly type: 'bytes'; readonly bytes: string | Uint8Array };

/** Stalls the stream until the gate opens. */
export function waitFor(gate: Gate): Interruption {
  return { type: 'wait', gate };
}
