import type { RegistryOffer } from '@winnow/core';
import { type Format, offerTools, type ReadOptions, type RequestView } from '@winnow/wire';
import { OFFERED_NAMES, OFFERED_TOOLS } from './offered-tools.ts';

/** A request with the offered tools, or the reason why it has none. */
export type Offer =
  | { readonly outcome: 'made'; readonly view: RequestView }
  | { readonly outcome: Exclude<RegistryOffer, 'made'> };

/** The input of an offer. */
export interface OfferSource {
  readonly format: Pick<Format, 'reading' | 'capabilities'>;
  /** The request as its client wrote it. */
  readonly view: RequestView;
  readonly readOptions: ReadOptions;
  /** Whether the registry has failed so often that it is not called. */
  readonly isAway: boolean;
}

/** Whether a request asks for the registry's tools. */
export function asksForTools(header: string | readonly string[] | undefined): boolean {
  return typeof header === 'string' && header.trim().toLowerCase() === 'on';
}

/**
 * Adds the registry's tools after the client's own, unless there is a conflict: if a client's tool has one of
 * these names, the registry would get its calls, and a client that forces or forbids calls has made its
 * choice.
 */
export function makeOffer({ format, view, readOptions, isAway }: OfferSource): Offer {
  if (view.bypass !== undefined && view.bypass !== 'no_function_tools') return { outcome: 'left_alone' };
  const { mode, names } = view.toolChoice;
  if (mode !== 'auto' || names.length > 0) return { outcome: 'tool_choice' };
  const isTaken = (name: string) =>
    view.calledNames.has(name) || view.tools.some((entry) => entry.name === name);
  if (OFFERED_NAMES.some(isTaken)) return { outcome: 'name_collision' };
  if (isAway) return { outcome: 'registry_away' };
  let isShort = false;
  const take = (bytes: number) => {
    const hasRoom = readOptions.take?.(bytes) ?? true;
    isShort ||= !hasRoom;
    return hasRoom;
  };
  const offered = offerTools(format, view, OFFERED_TOOLS, { ...readOptions, take });
  if (offered !== undefined) return { outcome: 'made', view: offered };
  return { outcome: isShort ? 'short_of_memory' : 'no_room' };
}
