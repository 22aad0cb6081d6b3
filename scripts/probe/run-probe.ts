import type { ExchangeRecord } from '@winnow/core';
import type { ProbeAnswer, ProbeDialect } from './probe-dialect.ts';
import { PROBE_TOOLS, QUESTION, RECEIPT, SECOND_QUESTION, SYSTEM, WANTED_TOOL } from './probe-scene.ts';

/** The result of one check. */
export interface Finding {
  readonly check: 'direct' | 'deferral' | 'search' | 'history' | 'thinking' | 'cache';
  readonly verdict: 'yes' | 'no' | 'unknown';
  readonly words: string;
}

/** The probe's access to a proxy in front of the upstream. */
export interface ProbedProxy {
  /**
   * Sends a body; `mode` is the value of `x-winnow-mode`. Returns the status and the parsed body, whatever
   * they are.
   */
  send(body: object, mode: 'off' | 'full'): Promise<{ readonly status: number; readonly body: unknown }>;
  /** The record of the last exchange that was not `off`. */
  lastRecord(): Promise<ExchangeRecord>;
}

/** The subject of a probe. */
export interface ProbeOptions {
  readonly dialect: ProbeDialect;
  readonly model: string;
  readonly proxy: ProbedProxy;
  /** Receives each finding as soon as it is known. */
  readonly tell: (finding: Finding) => void;
}

/** Maximum number of requests in one exchange, and of bodies in all. */
const MOST_ROUNDS = 3;

/**
 * Returns the maximum cost of a probe, if the model searches at most twice in each exchange: requests, and
 * tokens of input and output (bytes ÷ 4).
 */
export function estimateCost(dialect: ProbeDialect, model: string) {
  const body = bodyOf(dialect, model, [dialect.writeUser(QUESTION)]);
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 4);
  const requests = 1 + 2 * MOST_ROUNDS;
  return { requests, inputTokens: requests * tokens, outputTokens: requests * dialect.mostOutputTokens };
}

/**
 * Holds a conversation of two turns with a live upstream: first directly, then through the proxy. `tell`
 * receives each check's finding as a sentence. The conversation ends early when a step gives nothing to
 * continue with.
 */
export async function runProbe({ dialect, model, proxy, tell }: ProbeOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const note = (check: Finding['check'], verdict: Finding['verdict'], words: string) => {
    findings.push({ check, verdict, words });
    tell(findings.at(-1)!);
  };
  const history: unknown[] = [dialect.writeUser(QUESTION)];
  const ask = async (mode: 'off' | 'full'): Promise<ProbeAnswer | undefined> => {
    const { status, body } = await proxy.send(bodyOf(dialect, model, history), mode);
    if (status === 200) return dialect.read(body);
    note(
      mode === 'off' ? 'direct' : 'deferral',
      'no',
      `the upstream responds with ${status}: ${messageOf(body)}`,
    );
    return undefined;
  };

  const direct = await ask('off');
  if (direct === undefined) return findings;
  note('direct', 'yes', `${direct.inputTokens} input tokens with ${PROBE_TOOLS.length} tools`);

  const first = await ask('full');
  if (first === undefined) return findings;
  const record = await proxy.lastRecord();
  noteDeferral(record, direct, note);
  if (record.restoredBecause !== undefined || record.planReason !== 'deferred') return findings;
  noteSearch(record, first, note);
  if (first.calls.length === 0) {
    note('history', 'unknown', 'the model made no call, so there is no turn to continue');
    return findings;
  }

  history.push(
    ...first.messages,
    ...dialect.writeResults(first.calls, RECEIPT),
    dialect.writeUser(SECOND_QUESTION),
  );
  const second = await ask('full');
  if (second === undefined) return findings;
  noteHistory(await proxy.lastRecord(), { first, second }, note);
  return findings;
}

type Note = (check: Finding['check'], verdict: Finding['verdict'], words: string) => void;

function noteDeferral(record: ExchangeRecord, direct: ProbeAnswer, note: Note): void {
  const { planReason, restoredBecause, loadMode, usage = [] } = record;
  const tokens = usage[0]?.inputTokens ?? 0;
  const words = `${loadMode}, ${tokens} input tokens in the first round instead of ${direct.inputTokens}`;
  if (planReason !== 'deferred') note('deferral', 'no', `the request was left alone: ${planReason}`);
  else if (restoredBecause !== undefined) {
    note('deferral', 'no', `${loadMode} was refused (${restoredBecause}), and the original taken`);
    // A gateway may accept the marks and bill the definitions anyway.
  } else if (tokens > 0.9 * direct.inputTokens) note('deferral', 'no', `${words}: nothing is saved`);
  else note('deferral', 'yes', words);
}

function noteSearch({ searches, upstreamCalls }: ExchangeRecord, { calls }: ProbeAnswer, note: Note): void {
  const isFound = searches.flatMap(({ names }) => names).includes(WANTED_TOOL);
  const isCalled = calls.some(({ name }) => name === WANTED_TOOL);
  const words = `${searches.length} in ${upstreamCalls} requests, ${isFound ? '' : 'not '}found and ${isCalled ? '' : 'not '}called`;
  if (searches.length === 0) note('search', 'unknown', 'the model did not search');
  else note('search', isCalled ? 'yes' : 'unknown', words);
}

function noteHistory(
  { restoredBecause, hiddenTurnsKnown }: ExchangeRecord,
  { first, second }: { readonly first: ProbeAnswer; readonly second: ProbeAnswer },
  note: Note,
): void {
  if (restoredBecause !== undefined)
    note('history', 'no', `refused with what was hidden (${restoredBecause})`);
  else if (hiddenTurnsKnown === 0)
    note('history', 'unknown', 'nothing was hidden, or it was not found again');
  else note('history', 'yes', 'what was hidden is back in its place, and was taken');

  if (!first.hasThinking) note('thinking', 'unknown', 'the model did not think');
  else if (restoredBecause !== undefined)
    note('thinking', 'unknown', 'the second turn was taken in its original form alone');
  else note('thinking', 'yes', 'the second turn was taken with the thinking of the first');

  const { cachedTokens, inputTokens } = second;
  if (cachedTokens === undefined)
    note('cache', 'unknown', 'the provider does not say what its cache has served');
  else
    note(
      'cache',
      cachedTokens > 0 ? 'yes' : 'no',
      `it has served ${cachedTokens} of ${inputTokens} input tokens of the second turn`,
    );
}

function bodyOf(dialect: ProbeDialect, model: string, history: readonly unknown[]): object {
  return dialect.writeBody({ model, system: SYSTEM, history, tools: PROBE_TOOLS, thinks: true });
}

/** Returns the provider's own message, which is somewhere in every shape of error. */
function messageOf(body: unknown): string {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown };
  const message =
    typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  return typeof message === 'string' ? message.slice(0, 300) : 'without a message';
}
