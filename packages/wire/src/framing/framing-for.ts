import type { Format } from '../format/format.ts';
import type { RequestView } from '../format/view.ts';
import type { Framing } from './framing.ts';
import { framingOf } from './framings.ts';

/**
 * Returns the framing of a response to a request: the format's choice, or else the one of its content type.
 */
export function framingFor(
  { joining }: Pick<Format, 'joining'>,
  view: RequestView,
  contentType: string | undefined,
): Framing {
  return joining.framingOf?.(view, contentType) ?? framingOf(contentType);
}
