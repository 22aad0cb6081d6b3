/** A destination of requests. */
export interface Receiver {
  /** Its name in tables. */
  readonly name: string;
  readonly url: string;
  /**
   * Processor time that its process tree has used so far, in milliseconds; `undefined` if the system does not
   * report it.
   */
  cpuMs(): number | undefined;
}
