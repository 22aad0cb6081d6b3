/** A value that its schema rejects. */
export interface ValidationError {
  /** JSON Pointer into the value (RFC 6901); empty for the whole. */
  readonly path: string;
  /** The violated constraint. */
  readonly message: string;
}
