/** How answers of one format are written. Everything is JSON, and what is put in is not checked. */
export interface AnswerGrammar {
  /** The content type of its streams. */
  readonly contentType: string;
  /** Of the texts of a stream; UTF-8 unless said. Bytes that are no text are written as `latin1`. */
  readonly encoding?: 'latin1';
  /** An event of a stream that holds this. */
  write(data: string): string;
  /** What a stream has in front of its first event, and behind its last one. */
  readonly around?: readonly [before: string, behind: string];
  /** The beginning of an event that never ends. */
  readonly endless: string;
  /** What keeps a line alive. */
  readonly comment: string;
  /** A short answer that means well, event by event. */
  readonly good: readonly string[];
  /** Events with a value where none of that kind belongs. */
  odd(value: string): readonly string[];
  /** Events that begin a call with these arguments, a text. */
  call(call: { readonly index: number; readonly name: string; readonly text: string }): readonly string[];
  /** An event that goes on with a call. */
  readonly more: string;
  /** A call in a whole answer. */
  wholeCall(name: string): string;
  /** Whole answers with a value where it may hurt, or with these calls, several with commas between them. */
  wholes(value: string, calls: string): readonly string[];
}
