/** Start data of the model's thread. */
export interface OnnxWorkerData {
  readonly folder: string;
  readonly librariesFrom: string | undefined;
}

/** The message after which the thread ends, once its last text is done. All other messages are texts. */
export const END = null;
