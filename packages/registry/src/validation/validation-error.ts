/** One value that its schema does not allow. */
export interface ValidationError {
  /** JSON Pointer into the value (RFC 6901); empty for the whole. */
  readonly path: string;
  /** What the schema expects there. */
  readonly message: string;
}
