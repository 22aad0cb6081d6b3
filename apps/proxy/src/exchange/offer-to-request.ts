import type { Settings } from '../config/config.ts';
import { OFFER_HEADER } from '../http/own-headers.ts';
import type { OfferedRegistry } from '../offer/call-registry.ts';
import { asksForTools, makeOffer, type Offer } from '../offer/make-offer.ts';
import type { RequestOutcome } from '../reading/read-exchange.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import type { FormatExchange } from './format-exchange.ts';

export interface OfferContext {
  readonly settings: Settings;
  /** The registry whose tools are offered; undefined if none are. */
  readonly registry?: OfferedRegistry | undefined;
  readonly onDefect: (error: unknown) => void;
}

/**
 * Offers the registry's tools to a request that asks for them; returns undefined for other requests. A defect
 * leaves the request unchanged. `take` reserves memory in bytes, and returns false if none is left. Never
 * throws.
 */
export function offerToRequest(
  reading: RequestOutcome,
  { format, request, purpose, target }: FormatExchange,
  { registry, settings, onDefect }: OfferContext,
  take: (bytes: number) => boolean,
): Offer | undefined {
  if (!asksForTools(request.headers[OFFER_HEADER])) return undefined;
  if (registry === undefined) return { outcome: 'switched_off' };
  const isLeftAlone = !reading.ok && reading.reason !== 'no_function_tools';
  if (isLeftAlone || reading.view === undefined) return { outcome: 'left_alone' };
  const searchToolName = settings['tools.search_tool_name'];
  try {
    return makeOffer({
      format,
      view: reading.view,
      readOptions: { purpose, searchToolName, take, ...clientAddress(target) },
      isAway: registry.isAway(),
    });
  } catch (error) {
    onDefect(error);
    return { outcome: 'left_alone' };
  }
}
