/** Writers for the responses of one format. Everything is JSON; inserted values are not checked. */
export interface AnswerGrammar {
  /** The content type of its streams. */
  readonly contentType: string;
  /** The encoding of a stream's texts; default: UTF-8. Binary data is written as `latin1`. */
  readonly encoding?: 'latin1';
  /** Writes an event of a stream with this content. */
  write(data: string): string;
  /** The text before a stream's first event and after its last. */
  readonly around?: readonly [before: string, behind: string];
  /** The beginning of an event that never ends. */
  readonly endless: string;
  /** The keep-alive of the format. */
  readonly comment: string;
  /** A short benign response, event by event. */
  readonly good: readonly string[];
  /** Events with a value of the wrong kind. */
  odd(value: string): readonly string[];
  /** Events that begin a call with these arguments, given as text. */
  call(call: { readonly index: number; readonly name: string; readonly text: string }): readonly string[];
  /** An event that continues a call. */
  readonly more: string;
  /** A call in a whole response. */
  wholeCall(name: string): string;
  /** Whole responses with a harmful value, or with these calls, which are separated by commas. */
  wholes(value: string, calls: string): readonly string[];
}
