import type { RequestView } from '@winnow/wire';

/** Clients may write what they like into it. */
const MODEL_CHARS = 256;

/** The model of a request as records have it; undefined when it names none, or could not be read. */
export function modelName(view: RequestView | undefined): string | undefined {
  const model = view?.model;
  return model === undefined || model.length <= MODEL_CHARS ? model : copyOf(model.slice(0, MODEL_CHARS));
}

/** Of a slice, the whole text stays in memory as long as the slice does. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
