import type { RequestView } from '@winnow/wire';

/** Maximum length of a model's name, in characters: clients may write anything into it. */
const MODEL_CHARS = 256;

/**
 * Returns the model of a request for its record; undefined if the request names none or could not be read.
 */
export function modelName(view: RequestView | undefined): string | undefined {
  const model = view?.model;
  return model === undefined || model.length <= MODEL_CHARS ? model : copyOf(model.slice(0, MODEL_CHARS));
}

/** Copies a slice: it would keep the whole text in memory. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
