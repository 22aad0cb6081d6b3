import { type MemberChanges, textOf } from '@winnow/core';
import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import type { StreamEvent } from '../framing/framing.ts';
import { EnvelopeReducer, type EventKind, type EventPlace } from '../joining/envelope-reducer.ts';
import { type EnvelopeState, saysNothing } from '../joining/envelope-state.ts';
import { echoRestorer, type RestoreEcho } from '../joining/hide-mentions.ts';
import { isNumberedAsSent, isUntouched, ownError } from '../joining/part-state.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { RoundJoiner } from '../joining/round-joiner.ts';
import { countsByKind, type RoundsUsage, toUsage } from '../joining/rounds-usage.ts';
import { memberOf, parseObject, withMember, withMembers, withoutElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson } from '../json/json-value.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import type { ProxyError } from '../vendors/vendor.ts';
import { isFunctionCall, isThought } from './read-request.ts';
import { END, endsSoon, eventsOfWhole, isDone, RoundReader, type RoundStep, START } from './read-round.ts';
import { withAnySignatureIn } from './turns.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const reducer = new InteractionsReducer({ view, plan, keep, restore: restoreEcho(view, plan) });
  const rules = countsByKind(countTokens, ({ modality, type }) => modality ?? type);
  return new RoundJoiner(reducer, reducer.start(view, rules));
};

type State = EnvelopeState<RoundReader>;

class InteractionsReducer extends EnvelopeReducer<RoundReader> {
  protected readonly names = {
    envelope: 'interaction',
    parts: 'steps',
    index: 'index',
    ends: new Set([END]),
  };
  protected readonly typeKey = 'event_type';
  protected readonly eventsOfWhole = eventsOfWhole;
  protected readonly shows = shows;

  protected newReader(): RoundReader {
    return new RoundReader(this.hidden, this.keep);
  }

  protected isKnown({ type }: ReadEvent): boolean {
    return type.startsWith('step.');
  }

  protected kindOf(read: ReadEvent | undefined, data: string): EventKind {
    if (read === undefined) return isDone(data) ? 'end' : 'unknown';
    if (read.type === START) return 'start';
    if (read.type === 'error' || endsSoon(read)) return 'end';
    if (read.type === 'interaction.status_update') return 'status';
    // Any other event about the whole interaction may announce its end.
    return read.type.startsWith('interaction.') ? 'end' : 'part';
  }

  /**
   * Returns an event's data for the client. A joined response loses the members that would allow the client
   * to resume the stream, because the upstream would resume a response that the client does not know.
   */
  protected write(state: State, read: ReadEvent, { index }: EventPlace, step: RoundStep | undefined): string {
    const { body } = read;
    if (isNumberedAsSent(state)) return read.data;
    const data = step?.isOfSearch ? withAnySignatureIn(read) : read.data;
    const { readers, opener, used, reader } = state;
    const id = readers[opener]?.id;
    const placed = withMembers(data, {
      ...('event_id' in body && { event_id: undefined }),
      ...('continuation_token' in body && { continuation_token: undefined }),
      ...(index !== undefined && 'index' in body && body.index !== index && { index: String(index) }),
      ...(id !== undefined && 'interaction_id' in body && { interaction_id: JSON.stringify(id) }),
      ...(endsSoon(read) && !isUntouched(state) && statusOf(reader)),
    });
    const show = (usage: string) => showRunning(used, usage);
    const counted = isJsonObject(body.usage) ? withMember(placed, 'usage', show) : placed;
    return isJsonObject(body.metadata)
      ? withMember(counted, 'metadata', (metadata) => withMember(metadata, 'total_usage', show))
      : counted;
  }

  /** Whether the end leaves out the steps, as the end of a stream usually does. */
  protected override omitsParts({ isWhole }: State, body: string): boolean {
    return !isWhole && (memberOf(body, 'steps') ?? '[]') === '[]';
  }

  protected joinedMembers({ readers, reader }: State, body: string): MemberChanges {
    // The end of an interaction contains its creation time.
    const first = memberOf(readers[0]?.end?.data ?? '{}', 'interaction') ?? '{}';
    const created = memberOf(body, 'created') && memberOf(first, 'created');
    return { ...(created !== undefined && { created }), ...statusOf(reader) };
  }

  protected writeStart(start: string | undefined): StreamEvent | undefined {
    if (start === undefined) return undefined;
    return { kind: 'event', name: START, data: `{"interaction":${start},"event_type":"${START}"}` };
  }

  protected writeFailure(_: State, failure: RoundFailure, hasSent: boolean): readonly StreamEvent[] {
    if (hasSent) return [];
    const { refusal } = failure;
    const sent = refusal && !this.hidden.areIn(refusal.body) ? errorIn(refusal.body) : undefined;
    const error = sent ?? errorOf(ownError(failure, this.hidden));
    return [{ kind: 'event', name: 'error', data: JSON.stringify({ error, event_type: 'error' }) }];
  }

  protected errorBodies(failure: RoundFailure) {
    const own = JSON.stringify({ error: errorOf(ownError(failure, this.hidden)) });
    return { own, sent: errorIn(failure.refusal?.body) && failure.refusal!.body };
  }
}

/** Returns the status of a joined response as a change, if the client's differs from the upstream's. */
function statusOf({ status, stopReason }: RoundReader): MemberChanges {
  return status === stopReason ? {} : { status: JSON.stringify(stopReason) };
}

/** Returns the running usage, as JSON, including the previous rounds. */
function showRunning(used: RoundsUsage, usage: string): string {
  const own = parseObject(usage);
  return used.shown === undefined || own === undefined ? usage : JSON.stringify(used.shownWith(own));
}

/** Whether the client sees content in an event between start and end. An unknown event may show anything. */
function shows({ type, body: { step, delta } }: ReadEvent): boolean {
  if (type === 'step.stop') return false;
  if (type === 'step.start' && isJsonObject(step)) return !saysNothing(step, QUIET);
  if (type !== 'step.delta' || !isJsonObject(delta)) return true;
  if (delta.type === 'thought_signature') return false;
  return delta.type !== 'text' || delta.text !== '';
}

/** Types of steps without content at their start: outputs, and thoughts that the client does not see. */
const QUIET: ReadonlySet<unknown> = new Set(['model_output', 'thought']);

/** Returns the restorer for interactions of a request that was edited by this plan. */
export function restoreEcho(view: RequestView, plan: Plan): RestoreEcho {
  const restore = echoRestorer(view, plan, {
    own: ['previous_interaction_id'],
    kept: ['steps', 'errors', 'id', 'tools', 'input'],
  });
  const config = view.body.generation_config;
  const own = isJsonObject(config) && config.tool_choice !== undefined ? config.tool_choice : undefined;
  const hidden = hiddenNames(plan);
  const input = view.spans.members.get('input');
  return (interaction) => {
    const restored = withOwnInput(restore(interaction), input && textOf(view.text, input), hidden);
    // A last round forbids calls; no other one does so of itself.
    const echoed = parseObject(memberOf(restored, 'generation_config') ?? '');
    if (echoed?.tool_choice !== 'none') return restored;
    if (!isJsonObject(config)) return withMembers(restored, { generation_config: undefined });
    const choice = own === undefined ? undefined : JSON.stringify(own);
    return withMember(restored, 'generation_config', (text) => withMembers(text, { tool_choice: choice }));
  };
}

/**
 * Returns an interaction without the searches in its echo of the input: all other steps are the provider's, which
 * may hide or complete some. If it still names a hidden tool, or nothing is left, the client's own input replaces it.
 */
function withOwnInput(interaction: string, own: string | undefined, hidden: HiddenNames): string {
  const echo = memberOf(interaction, 'input');
  if (echo === undefined || !hidden.areIn(echo)) return interaction;
  const read = parseObject(interaction)!;
  const steps = objectsIn(read.input);
  const calls = new Set(steps.flatMap((step) => hiddenCallOf(step, hidden) ?? []));
  const isOurs = (step: JsonObject): boolean => {
    const next = isThought(step) ? steps[steps.indexOf(step) + 1] : undefined;
    const leadsToOurs = next !== undefined && !isHiddenResult(next, hidden, calls) && isOurs(next);
    return leadsToOurs || hiddenCallOf(step, hidden) !== undefined || isHiddenResult(step, hidden, calls);
  };
  const { input } = withoutElements(interaction, read, 'input', isOurs);
  const isClean = input !== undefined && input !== '[]' && !hidden.areIn(input);
  return withMembers(interaction, { input: isClean ? input : own });
}

/** Returns the id of a call of a hidden tool; undefined for any other step. */
export function hiddenCallOf(step: JsonObject, hidden: HiddenNames): unknown {
  const isHidden = isFunctionCall(step) && hidden.meantBy(String(step.name)) !== undefined;
  return isHidden ? (step.id ?? NO_ID) : undefined;
}

/** Whether a step is the result of one of these hidden calls. */
export function isHiddenResult(
  { type, name, call_id: id }: JsonObject,
  hidden: HiddenNames,
  calls: ReadonlySet<unknown>,
): boolean {
  return type === 'function_result' && (hidden.has(name) || calls.has(id ?? NO_ID));
}

/** The key of a call without an id. */
const NO_ID = Symbol('no id');

/** An error's code and message. */
interface InteractionError {
  readonly code: string;
  readonly message: string;
}

/**
 * The known error codes by status; other errors are the request's or the provider's. Source:
 * https://ai.google.dev/gemini-api/docs/interactions/streaming
 */
const CODES: ReadonlyMap<number, string> = new Map([
  [401, 'unauthenticated'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [429, 'resource_exhausted'],
  [503, 'unavailable'],
  [504, 'gateway_timeout'],
]);

/** Returns an error of Winnow's own, or a replacement for one that the client must not see. */
function errorOf({ status, message }: ProxyError): InteractionError {
  return { code: CODES.get(status) ?? (status < 500 ? 'invalid_request' : 'internal_error'), message };
}

/**
 * Returns the error in a body; undefined when there is none. Servers in front of the API write Google's other
 * shape, with a number as the code.
 */
function errorIn(body: string | undefined): InteractionError | undefined {
  const read = body === undefined ? undefined : parseJson(body);
  const error = isJsonObject(read) ? read.error : undefined;
  if (!isJsonObject(error) || typeof error.message !== 'string') return undefined;
  const { code, status, message } = error;
  const word = typeof code === 'string' ? code : String(status ?? 'internal_error').toLowerCase();
  return { code: word, message };
}

/**
 * Counts the tokens of a usage. The provider counts thoughts separately from the output, and the input of its
 * own tools separately from the prompt. Cache reads are part of the prompt's count; cache writes are not
 * reported.
 */
export function countTokens(usage: JsonObject): Usage {
  return toUsage({
    input: [usage.total_input_tokens, usage.total_tool_use_tokens],
    output: [usage.total_output_tokens, usage.total_thought_tokens],
    cachedInput: usage.total_cached_tokens,
  });
}
