/** The reasons that a store cannot be opened or read. */
export type StoreErrorCode =
  /** The file is damaged or not a database. */
  | 'damaged'
  /** Another process has it open. */
  | 'in_use'
  /** A later version of this program wrote it. */
  | 'too_new'
  /** It cannot be reached, created or read. */
  | 'unreachable';

/** A failure to open or read a store. The message names the place and a remedy. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
