import type { RestoreReason } from '@winnow/core';
import { decodeStream } from '@winnow/service';
import {
  eventText,
  type HiddenNames,
  hiddenNames,
  isRefused,
  type Plan,
  preloadBy,
  type Round,
  type RoundFailure,
  readOwnCall,
  type SearchCall,
  type Turn,
  type WireEvent,
  withData,
} from '@winnow/wire';
import { calledTools, shownTools } from '../records/request-facts.ts';
import { NO_SEARCHES, type Resolution } from '../search/resolve-searches.ts';
import { keepIn } from '../sessions/request-memory.ts';
import { headerValue } from '../upstream/headers.ts';
import { isGood, ProxyError } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { readUpTo } from '../upstream/upstream-body.ts';
import { askRound, type BadRound, judgeRefusal, readRound } from './ask-round.ts';
import { ClientResponse, type ResponseMark } from './client-response.ts';
import type { Ending } from './exchange.ts';
import {
  afterTurn,
  bySwap,
  HEARTBEAT_MS,
  isHopeless,
  isLast,
  type LoopOutput,
  type LoopProgress,
  MAX_ROUNDS,
  type SearchLoop,
  startOfLoop,
  withoutChange,
} from './loop-progress.ts';
import { HELD_TOO_MUCH } from './relay-round.ts';

/**
 * Has the model answer a request, and loops while it only searches: at most `MAX_ROUNDS` times, and once more
 * with all tools.
 *
 * @throws ProxyError with `upstream_unreachable` if the first request gets no response. Rejects when the
 * client leaves.
 */
export async function runSearchLoop(loop: SearchLoop): Promise<LoopEnd> {
  const { exchange, view } = loop;
  const keep = keepIn(loop.hold);
  const output: LoopOutput = {
    client: new ClientResponse(exchange, keep),
    joiner: exchange.format.joining.joinResponses(view, loop.plan, keep),
  };
  const start = output.client.mark();
  let progress = startOfLoop(loop.plan, loop.isBound);
  // A stored response has the id of the round that begins it, so it does not begin before one shows something.
  const isNamed = exchange.format.capabilities.storedResponses !== undefined;
  const beat = () => {
    const isQuiet = progress.rounds.length > 0 || output.joiner.isHolding;
    output.client.beat(isQuiet ? exchange.format.heartbeat : undefined, !isNamed || output.joiner.hasShown);
  };
  const stopHeartbeat = view.isStream ? loop.every(HEARTBEAT_MS, beat) : () => {};
  try {
    for (;;) {
      const mark = output.client.mark();
      let outcome = await askRound(loop, progress, output);
      if (outcome.kind === 'refused') {
        const judged = await judgeForms(loop, progress, outcome.response);
        if (judged.next !== undefined) {
          progress = judged.next;
          continue;
        }
        outcome = { kind: 'refused', response: judged.response };
      }
      if (outcome.kind === 'unread') {
        await output.client.passUnread(outcome.response, outcome.pieces);
        return { kind: 'over', ending: { outcome: 'answered', status: outcome.response.status } };
      }
      const isMadeUp =
        outcome.kind === 'searching' && (isLast(progress) || isHopeless(progress, outcome.turn));
      // A model that still only searches has said nothing: some servers ignore that calls are forbidden.
      if (isMadeUp && !output.joiner.hasShown)
        return await giveUp(loop, progress, ONLY_SEARCHES, { ...output, mark });
      if (outcome.kind !== 'searching' && outcome.kind !== 'finished') {
        return await giveUp(loop, progress, outcome, { ...output, mark });
      }
      if (outcome.kind === 'finished' || isMadeUp) {
        return await finish(loop, progress, outcome.turn, output);
      }
      const resolution = await resolveTurn(loop, progress, outcome.turn);
      progress = afterTurn(progress, outcome.turn, resolution);
      output.joiner.takeResults(resolution.results);
      // If the client has received nothing, the next response can replace this one.
      if (output.joiner.canRetractStart && !output.joiner.hasShown && output.client.takeBack(start)) {
        output.joiner.retractStart();
      }
      const { plan } = progress;
      loop.tell({
        kind: 'loaded',
        tools: shownTools(view, { ...plan, offered: progress.first.offered }),
        names: plan.load,
      });
    }
  } finally {
    stopHeartbeat();
  }
}

/** The failure of a last round in which the model called nothing but the search tool. */
const ONLY_SEARCHES: RoundFailure = {
  kind: 'failed',
  reason: 'interrupted',
  message: 'The model only searched for tools.',
};

/** Ends a loop whose round since `mark` is of no use. */
async function giveUp(
  loop: SearchLoop,
  progress: LoopProgress,
  outcome: BadRound,
  output: LoopOutput & { readonly mark: ResponseMark },
): Promise<LoopEnd> {
  const isUnseen = progress.rounds.length > 0 && !output.client.hasGivenSince(output.mark);
  const end = isUnseen ? await appendOriginal(loop, outcome, output) : undefined;
  const failure = isUnseen ? { ...outcome, isSilent: false } : outcome;
  return end ?? (await failLoop(loop, progress, failure, output));
}

/**
 * Returns the state for another request where the upstream refuses the form in which tools are loaded;
 * otherwise its response, which can still be read.
 */
async function judgeForms(
  loop: SearchLoop,
  progress: LoopProgress,
  response: UpstreamResponse,
): Promise<{ readonly next?: LoopProgress; readonly response: UpstreamResponse }> {
  const { format } = loop.exchange;
  if (preloadBy(progress.plan, 'change')) {
    const judged = await judgeRefusal(response, format.loading.changeRefusal);
    if (!judged.isMeant) return judged;
    judged.response.body.destroy();
    loop.onChangeRefused();
    const forms = format.editing.preloadForms?.(loop.view, 'native') ?? [];
    return { next: withoutChange(progress, forms.includes('search')), response };
  }
  if (!mayReferTo(loop, progress)) return { response };
  const judged = await judgeRefusal(response, format.loading.referenceRefusal);
  if (!judged.isMeant) return judged;
  judged.response.body.destroy();
  loop.onReferencesRefused();
  loop.tell({ kind: 'swapped' });
  return { next: bySwap(progress), response };
}

/** Whether the next request holds references to deferred tools and could do without them. */
function mayReferTo({ isBound, hiddenTurns }: SearchLoop, { plan, rounds }: LoopProgress): boolean {
  if (plan.loadMode !== 'native' || isBound) return false;
  return rounds.length > 0 || hiddenTurns.length > 0 || preloadBy(plan, 'search') !== undefined;
}

/** Resolves the searches of a turn; in the last turn that may search, all tools are shown instead. */
async function resolveTurn(loop: SearchLoop, progress: LoopProgress, turn: Turn): Promise<Resolution> {
  const { searches, plan } = progress;
  const calls = turn.searches.map((call) => readOwnCall(plan, call));
  const queries = calls.flatMap((call) => (isQuery(plan, call) ? call.queries : []));
  loop.tell({ kind: 'searching', queries });
  const resolution = await loop.resolve(turn, searches + 1 >= MAX_ROUNDS);
  loop.tell({ kind: 'searched', searches: resolution.records });
  return resolution;
}

function isQuery(plan: Plan, call: SearchCall): boolean {
  if (isRefused(plan, call)) return false;
  return plan.offered?.includes(call.name) !== true;
}

/**
 * Ends a successful response and stores its hidden turn.
 *
 * Searches made alongside visible calls do not delay the client: they are resolved afterwards, and an
 * exchange with this turn in its history waits for them. With a shared store, the next turn may reach another
 * proxy: only the end of the response is then held back.
 */
async function finish(
  loop: SearchLoop,
  progress: LoopProgress,
  turn: Turn,
  { client, joiner }: LoopOutput,
): Promise<LoopEnd> {
  const { exchange, view, session, dropsThinking, alias, kept = () => [], tell } = loop;
  const { first: plan } = progress;
  const { format } = exchange;
  const shown = () => format.remembering.shownKeys(view, [...progress.rounds, { turn, results: [] }]);
  const verdict = { mode: plan.loadMode, dropsThinking };
  const hidesSomething = progress.rounds.length > 0 || turn.searches.length > 0;
  if (turn.realCalls.length > 0) {
    tell({ kind: 'called', ...calledTools(view, progress.plan, namesOf(turn)) });
  }
  let rounds: readonly Round[] = [];
  const gather = async () => {
    rounds = await allRounds(loop, progress, turn);
    return format.remembering.hideTurn(view, rounds);
  };
  const id = format.capabilities.storedResponses?.idOf(view, turn);
  const describe = () => format.capabilities.storedResponses?.aliasOf(view, plan, rounds, alias);
  const stored =
    id === undefined
      ? session.add(shown, verdict, hidesSomething || turn.exact !== undefined ? gather : undefined)
      : session.add(shown, verdict, gather, { id, describe, kept });
  const isHeld = hidesSomething && (session.isShared || turn.searches.length === 0);
  if (isHeld) tell({ kind: 'session_written', errors: await stored });
  await client.end(joiner.finish());
  tell({ kind: 'delivered' });
  if (!isHeld) tell({ kind: 'session_written', errors: await stored });
  return { kind: 'over', ending: { outcome: 'answered', status: exchange.response.status } };
}

/** Returns the rounds of an exchange that ends with `turn`, with its searches resolved. */
async function allRounds(loop: SearchLoop, progress: LoopProgress, turn: Turn): Promise<readonly Round[]> {
  const resolution = turn.searches.length > 0 ? await resolveTurn(loop, progress, turn) : NO_SEARCHES;
  return afterTurn(progress, turn, resolution).rounds;
}

function namesOf({ realCalls }: Turn): string[] {
  return realCalls.map(({ name }) => name);
}

/**
 * Ends a loop whose hidden round failed after the client had seen something: sends the client's own request,
 * and appends its response to what the client has seen, in place of everything since `mark`. Undefined if that
 * is refused, too, or cannot be appended.
 *
 * The upstream may have asked to wait: then, too, one more request is the only way to the rest of the response.
 */
async function appendOriginal(
  loop: SearchLoop,
  outcome: BadRound,
  output: LoopOutput & { readonly mark: ResponseMark },
): Promise<LoopEnd | undefined> {
  const { exchange, view, sendOriginal, tell } = loop;
  const { client, joiner } = output;
  if (sendOriginal === undefined || !view.isStream || !client.hasStarted) return undefined;
  const response = await sendOriginal().catch((error: unknown) => {
    if (exchange.signal.aborted) throw error;
    return undefined;
  });
  if (response === undefined || !isGood(response) || !client.takeBack(output.mark)) {
    response?.body.destroy();
    return undefined;
  }
  tell({ kind: 'restored', because: 'later_round_failed' });
  if (outcome.kind === 'refused') outcome.response.body.destroy();
  joiner.abandonRound();
  // The response is the only one that counts in the history. A call of the search tool in it is made up.
  const progress = startOfLoop(loop.plan, loop.isBound);
  const end = await readRound(loop, progress, response, output);
  if (end.kind === 'unread' || end.kind === 'failed') {
    const failure = end.kind === 'failed' ? end : HELD_TOO_MUCH;
    const isSilent = failure.isSilent === true && client.hasGivenSince(output.mark);
    return failInStream(loop, progress, { ...failure, isSilent }, output);
  }
  if (outcome.kind === 'refused' && exchange.format.vendor.rejections.includes(outcome.response.status)) {
    await loop.onRoundRefused?.();
  }
  return finish(loop, progress, { ...end.turn, searches: [] }, output);
}

/** Statuses by which an upstream asks its clients to wait, so that another request would not help. */
const WAITING: ReadonlySet<number> = new Set([408, 409, 425, 429, 503, 529]);

function isWorthOriginal(outcome: BadRound): boolean {
  return outcome.kind !== 'refused' || !WAITING.has(outcome.response.status);
}

/** The end of a loop. Unless it is `over`, the client has received nothing yet. */
export type LoopEnd =
  | { readonly kind: 'over'; readonly ending: Ending }
  /** The upstream answered a request with an error; the response is yet to be read. */
  | { readonly kind: 'refused'; readonly response: UpstreamResponse; readonly because: RestoreReason }
  /** A response was unusable. */
  | { readonly kind: 'failed'; readonly because: RestoreReason };

/**
 * Ends a loop after a failed round. As long as the client has received nothing, the caller decides between
 * the upstream's error and the original bytes. After the head of a stream, only an error in the client's
 * format is left, with the upstream's text.
 */
async function failLoop(
  loop: SearchLoop,
  progress: LoopProgress,
  outcome: BadRound,
  output: LoopOutput,
): Promise<LoopEnd> {
  const isLater = progress.rounds.length > 0;
  if (output.client.hasStarted) return failInStream(loop, progress, await toFailure(outcome), output);
  const isRejected =
    outcome.kind === 'refused' && loop.exchange.format.vendor.rejections.includes(outcome.response.status);
  if (isLater && loop.sendOriginal !== undefined && !isRejected && isWorthOriginal(outcome)) {
    if (outcome.kind === 'refused') outcome.response.body.destroy();
    return { kind: 'failed', because: 'later_round_failed' };
  }
  if (outcome.kind === 'unreachable') throw outcome.error;
  if (outcome.kind === 'refused') {
    const because = isLater ? 'later_round_failed' : 'upstream_rejected_edit';
    return { kind: 'refused', response: outcome.response, because };
  }
  // A stream in place of a whole response passes as it came, whatever it is.
  const isOdd = outcome.isSilent === true && !loop.view.isStream;
  const isUnreadable = isOdd || outcome.reason === 'malformed_answer' || outcome.reason === 'held_too_much';
  if (isUnreadable) return { kind: 'failed', because: isLater ? 'later_round_failed' : 'answer_unreadable' };
  // A client that has nothing of a response retries it, but not an error within a stream.
  if (outcome.reason === 'truncated' && (isLater || !output.joiner.hasStarted)) {
    throw new ProxyError('upstream_unreachable', 'The upstream ended its response too early.');
  }
  return failInStream(loop, progress, outcome, output);
}

/** Maximum size of an error to read, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

async function toFailure(outcome: BadRound): Promise<RoundFailure> {
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind === 'unreachable') {
    return { kind: 'failed', reason: 'interrupted', message: 'The upstream could not be reached.' };
  }
  const { status, headers, body } = outcome.response;
  const message = `The upstream answered with status ${status}.`;
  const failure = { kind: 'failed', reason: 'interrupted', message } as const;
  try {
    const decoded = decodeStream(body, headerValue(headers, 'content-encoding')) ?? body;
    const text = (await readUpTo(decoded, MAX_ERROR_BYTES)).toString('utf8');
    return { ...failure, refusal: { status, body: text } };
  } catch {
    // The body broke off; the status is still known.
    return { ...failure, refusal: { status, body: '' } };
  }
}

async function failInStream(
  { exchange, view }: SearchLoop,
  { plan }: LoopProgress,
  failure: RoundFailure,
  { client, joiner }: LoopOutput,
): Promise<LoopEnd> {
  exchange.signal.throwIfAborted();
  const events = joiner.fail(failure).map((event) => withoutNames(event, hiddenNames(plan)));
  // A stream may answer a request for a whole response.
  const isInStream = view.isStream || failure.isSilent === true || failure.reason === 'upstream_error';
  await client.fail(events, isInStream);
  return { kind: 'over', ending: { outcome: 'failed', status: exchange.response.status } };
}

/** Removes the names of hidden tools from an upstream's error, as the client does not know these tools. */
function withoutNames(event: WireEvent, hidden: HiddenNames): WireEvent {
  if (event.kind === 'comment' || !hidden.areIn(eventText(event))) return event;
  const text = hidden.all.reduce((said, name) => said.replaceAll(name, 'a tool'), eventText(event));
  return event.kind === 'event' ? withData(event, text) : { ...event, text };
}
