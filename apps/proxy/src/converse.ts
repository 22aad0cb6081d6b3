import type { Plan, Round } from '@winnow/wire';
import { ClientAnswer } from './client/client-answer.ts';
import { ProxyError } from './client/proxy-error.ts';
import { askUpstream } from './exchange/ask-upstream.ts';
import {
  answerFailure,
  answerRefusal,
  mayDropThinking,
  restoreOriginal,
  tryOriginal,
  type Unfinished,
} from './exchange/fall-back.ts';
import { finishExchange } from './exchange/finish-exchange.ts';
import { relay } from './exchange/forward-untouched.ts';
import { asSent } from './exchange/plan-exchange.ts';
import { type FormatExchange, notePlan, type Prepared } from './exchange/prepare-exchange.ts';
import { addFindings, NO_FINDINGS, planAfterRound, resolveRound } from './exchange/resolve-round.ts';
import { watchAnswer } from './exchange/watch-answer.ts';
import { isTransportError } from './upstream/is-transport-error.ts';
import type { UpstreamResponse } from './upstream/upstream-client.ts';

/** How often a client that waits for hidden rounds hears that the line is alive, in milliseconds. */
const HEARTBEAT_MS = 10_000;

/**
 * Has the model answer a request whose tools are edited, its searches included, and gives the status that the client got.
 *
 * A defect of ours is no reason for the client to go without its answer, as long as it has seen nothing.
 */
export async function converse(prepared: Prepared): Promise<number> {
  const { exchange, context } = prepared;
  try {
    return await goRound(prepared);
  } catch (error) {
    const isOurs = !(error instanceof ProxyError) && !isTransportError(error) && !exchange.signal.aborted;
    if (!isOurs || exchange.outgoing.headersSent) throw error;
    context.onDefect(error);
    return restoreOriginal(prepared, 'defect');
  }
}

/** Sends the edited request, answers the model's searches, goes round, and gives the status that the client got. */
async function goRound(prepared: Prepared): Promise<number> {
  const { exchange, context, record, clock, view } = prepared;
  const answer = new ClientAnswer(exchange);
  const joiner = exchange.format.joinAnswers(view, prepared.plan);
  const rounds: Round[] = [];
  let plan = prepared.plan;
  let findings = NO_FINDINGS;
  let dropsThinking = false;
  const stopHeartbeat = context.effects.every(HEARTBEAT_MS, () => {
    if (view.isStream && rounds.length > 0) answer.beat(exchange.format.heartbeat);
  });
  try {
    for (;;) {
      const firstPlan = prepared.plan;
      const unfinished: Unfinished = { ...prepared, plan, firstPlan, dropsThinking, answer, joiner };
      const response = await ask(unfinished, rounds);
      if (!response || (!isGood(response) && rounds.length > 0)) {
        return await answerFailure(unfinished, INTERRUPTED, rounds.length);
      }
      if (!isGood(response) && (await mayDropThinking(unfinished, response))) {
        response.body.destroy();
        const status = await tryOriginal(unfinished);
        if (status !== undefined) return status;
        record.droppedThinking = dropsThinking = true;
        continue;
      }
      if (!isGood(response)) return await answerRefusal(unfinished, response);
      if (!isWatched(prepared)) return await relayAnswer(response, prepared);

      answer.takeHead(response);
      const end = await watchAnswer({ response, joiner, answer, signal: exchange.signal });
      clock.roundEnds();
      record.usage = joiner.usage;
      if (end.kind === 'failed') return await answerFailure(unfinished, end, rounds.length);
      // Without a search tool, a search is one that the model has made up: it had its last call.
      if (end.kind === 'finished' || plan.searchTool === undefined) {
        await finishExchange(unfinished, { rounds, turn: end.turn, findings });
        return exchange.outgoing.statusCode;
      }
      const resolution = await resolveRound(unfinished, end.turn, findings, rounds.length + 1);
      rounds.push({ turn: end.turn, results: resolution.results });
      findings = addFindings(findings, resolution);
      plan = planAfterRound(plan, resolution, rounds.length);
      notePlan(record, view, plan);
    }
  } finally {
    stopHeartbeat();
  }
}

/** The next answer of the upstream; undefined when a later round cannot reach it. */
async function ask(unfinished: Unfinished, rounds: readonly Round[]): Promise<UpstreamResponse | undefined> {
  const { exchange, context, record, clock, view, known, plan, firstPlan, dropsThinking } = unfinished;
  const { hiddenTurns } = known;
  exchange.signal.throwIfAborted();
  const body = exchange.format.editRequest(view, asSent(plan, firstPlan), {
    hiddenTurns,
    rounds,
    dropsThinking,
  });
  record.upstreamCalls++;
  clock.roundBegins();
  try {
    return await askUpstream({ ...exchange, plan, body, round: record.upstreamCalls, send: context.send });
  } catch (error) {
    if (rounds.length === 0 || exchange.signal.aborted) throw error;
    return undefined;
  }
}

const INTERRUPTED = {
  kind: 'failed',
  reason: 'interrupted',
  message: 'The upstream stopped answering in the middle of the answer.',
} as const;

function isGood({ status }: UpstreamResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Only an answer that may call the search tool has to be read; any other is passed on as it is. */
function isWatched({ exchange, plan }: { exchange: FormatExchange; plan: Plan }): boolean {
  return plan.searchTool !== undefined && exchange.purpose === 'answer';
}

async function relayAnswer(response: UpstreamResponse, { exchange }: Prepared): Promise<number> {
  await relay(response, exchange);
  return response.status;
}
