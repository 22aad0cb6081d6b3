/** What a client tells while it works. */
export interface ClientEvents {
  /** A piece of the model's text, as it comes. */
  readonly onText: (text: string) => void;
  /** A call that the client runs. */
  readonly onCall: (name: string, input: unknown) => void;
  /** A request is about to be sent. */
  readonly onRequest: () => void;
  /** An answer is whole. */
  readonly onAnswer: () => Promise<void>;
}

/** A client library at work. */
export interface DemoClient {
  readonly name: string;
  /** Says one thing and goes on until the model calls nothing more. */
  say(message: string, events: ClientEvents): Promise<void>;
}

/** What every tool of the demo answers. */
export const TOOL_RESULT = '{"ok":true}';
