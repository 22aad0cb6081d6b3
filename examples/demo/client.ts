/** Events that a client emits while it works. */
export interface ClientEvents {
  /** A piece of the model's text, as it arrives. */
  readonly onText: (text: string) => void;
  /** A call that the client runs. */
  readonly onCall: (name: string, input: unknown) => void;
  /** A request is about to be sent. */
  readonly onRequest: () => void;
  /** A response is complete. */
  readonly onAnswer: () => Promise<void>;
}

/** A client library in use. */
export interface DemoClient {
  readonly name: string;
  /** Sends one message and continues until the model makes no more calls. */
  say(message: string, events: ClientEvents): Promise<void>;
}

/** The result that every tool of the demo returns. */
export const TOOL_RESULT = '{"ok":true}';
