import type { Format } from './format.ts';
import type { Framing } from './framing/framing.ts';
import { framingOf } from './framing/framings.ts';
import type { RequestView } from './view.ts';

/** The framing of a response to a request: what its content type says, unless the format knows better. */
export function framingFor(format: Format, view: RequestView, contentType: string | undefined): Framing {
  return format.framingOf?.(view, contentType) ?? framingOf(contentType);
}
