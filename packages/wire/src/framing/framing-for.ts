import type { Format } from '../format/format.ts';
import type { RequestView } from '../format/view.ts';
import type { Framing } from './framing.ts';
import { framingOf } from './framings.ts';

/** The framing of a response to a request: what its content type says, unless the format knows better. */
export function framingFor(format: Format, view: RequestView, contentType: string | undefined): Framing {
  return format.joining.framingOf?.(view, contentType) ?? framingOf(contentType);
}
