/** Something that requests are sent to. */
export interface Receiver {
  /** As tables call it. */
  readonly name: string;
  readonly url: string;
  /** The processor time that its process tree has used so far, in milliseconds; `undefined` where the system does not say. */
  cpuMs(): number | undefined;
}
