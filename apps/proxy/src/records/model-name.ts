import type { RequestView } from '@winnow/wire';

/** Clients may write what they like into it. */
const MODEL_CHARS = 256;

/** The model of a request as records have it; undefined when it names none, or could not be read. */
export function modelName(view: RequestView | undefined): string | undefined {
  return view?.model?.slice(0, MODEL_CHARS);
}
