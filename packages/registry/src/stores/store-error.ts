/** Why a store cannot be opened or read. Every code, and when it happens. */
export type StoreErrorCode =
  /** The file is no database, or it is damaged. */
  | 'damaged'
  /** Another process has it open. */
  | 'in_use'
  /** It was written by a later version of this program. */
  | 'too_new'
  /** It cannot be reached, created or read. */
  | 'unreachable';

/** Ends the opening or reading of a store. The message names the place and says what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
