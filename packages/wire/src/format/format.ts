import type { Framing, WireEvent } from '../framing/framing.ts';
import { framingOf } from '../framing/framings.ts';
import type { Vendor } from '../vendors/vendor.ts';
import type { Capabilities } from './capabilities.ts';
import type { LoadRules } from './load-rules.ts';
import type { RequestEditor, RequestReader, TurnMemory } from './request-parts.ts';
import type { ResponseJoining } from './response-joiner.ts';
import type { RequestView } from './view.ts';

/**
 * A provider's wire format: four parts, each for one kind of caller, plus plain data and optional
 * capabilities.
 *
 * An exchange in outline:
 *
 * ```ts
 * const { reading, editing, joining } = format;
 * const { view } = reading.readRequest(bytes, { purpose, searchToolName, path, query });
 * const joiner = joining.joinResponses(view, plan);
 * for (;;) {
 *   const request = editing.editRequest(view, plan, { hiddenTurns, rounds });
 *   const framing = framingFor(format, view, contentType);
 *   for await (const event of readEvents(response.body, framing)) write(joiner.feed(event));
 *   const end = joiner.endRound();
 *   if (end.kind !== 'searching') break;
 *   rounds.push({ turn: end.turn, results: await resolve(end.turn.searches) });
 * }
 * write(end.kind === 'failed' ? joiner.fail(end) : joiner.finish());
 * ```
 *
 * `write` encodes events in the framing of the first response, which is the client's framing.
 *
 * Contract, which `test/format-contract.ts` checks for every format:
 * - All functions are pure and synchronous: no clock, no randomness, no input or output. Equal arguments give
 *   equal bytes, so a request may be edited again for every round, and the requests of all rounds share the
 *   longest possible prefix.
 * - No argument is mutated. Formats hold no state; only a `ResponseJoiner` does, for one exchange.
 * - No function throws, whatever a client or an upstream sends.
 */
export interface Format {
  /** The format's name in configuration and records. */
  readonly name: string;
  /**
   * The vendor whose conventions for errors, load modes and refusals the servers follow where the format does
   * not specify them.
   */
  readonly vendor: Vendor;
  /**
   * The event that keeps a silent stream alive and that every known client ignores; undefined when the format
   * has none. A framing may have no bytes for it either.
   */
  readonly heartbeat: WireEvent | undefined;
  readonly loading: LoadRules;
  readonly reading: RequestReader;
  readonly editing: RequestEditor;
  readonly joining: ResponseJoining;
  readonly remembering: TurnMemory;
  readonly capabilities: Capabilities;
}

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
