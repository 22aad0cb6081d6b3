import { type ExchangeRecord, RECORD_VERSION, type TokenUsage, type ToolBytes } from '@winnow/core';
import { setOf } from '@winnow/wire';
import type { ExchangeFact, ExchangeSoFar, TimedFact } from './exchange-fact.ts';
import { callFields, type ListedTools, MOST_NAME_CHARS, type ShownTools } from './request-facts.ts';

/** Folds the facts of an exchange so far into its record, with times in whole microseconds. Pure. */
export function foldRecord(soFar: ExchangeSoFar): ExchangeRecord {
  const { hiddenRoundsMs, addedMs, totalMs } = foldTimes(soFar);
  const record: ExchangeRecord = {
    version: RECORD_VERSION,
    event: 'exchange',
    ...soFar.start,
    // Without an identity a session counts as outside: it could not keep its place.
    arm: 'shadow',
    armReason: 'no_session',
    planReason: 'not_read',
    loadMode: 'swap',
    tools: { total: 0, deferred: 0, loaded: 0 },
    searches: [],
    upstreamCalls: 0,
    hiddenTurnsKnown: 0,
    sessionErrors: 0,
    toolBytes: NO_TOOL_BYTES,
    hiddenRoundsMs: wholeUs(hiddenRoundsMs),
    addedMs: wholeUs(addedMs),
    totalMs: wholeUs(totalMs),
    ...toolListFields(soFar.facts),
    ...usageField(soFar),
    outcome: 'failed',
  };
  for (const { fact } of soFar.facts) addFact(record, fact);
  return record;
}

/** Adds one fact to a record being folded; times are folded separately. */
function addFact(record: ExchangeRecord, fact: ExchangeFact): void {
  switch (fact.kind) {
    case 'read':
      record.format = fact.format;
      record.model = fact.model;
      break;
    case 'decided':
      record.arm = fact.arm;
      record.armReason = fact.reason;
      break;
    case 'profiled':
      record.profile = fact.profile;
      break;
    case 'left_alone':
      record.planReason = fact.reason;
      break;
    case 'agent_met': {
      const { kind: _, ...agent } = fact;
      record.agent = agent;
      break;
    }
    case 'session_read':
      record.session = fact.session;
      record.hiddenTurnsKnown = fact.hiddenTurns;
      record.sessionErrors += fact.errors;
      break;
    case 'planned':
      record.planReason = fact.reason;
      record.loadMode = fact.loadMode;
      if (fact.expected !== undefined) record.expected = fact.expected;
      if (fact.newBytes !== undefined) record.newBytes = fact.newBytes;
      if (fact.alwaysKeep !== undefined) record.alwaysKeep = fact.alwaysKeep;
      addShown(record, fact.tools);
      break;
    case 'sent':
      record.upstreamCalls++;
      if (record.upstreamCalls === 1) addPromptBytes(record, fact.bytes);
      break;
    case 'round_failed': {
      const { kind, ...failed } = fact;
      record.failedRounds = [...(record.failedRounds ?? []), failed];
      break;
    }
    case 'searched':
      record.searches.push(...fact.searches);
      break;
    case 'loaded':
      addShown(record, fact.tools);
      break;
    case 'swapped':
      record.loadMode = 'swap';
      break;
    case 'restored':
      record.restoredBecause = fact.because;
      record.toolBytes = addToolBytes(record.toolBytes, record.toolBytes.before, record.toolBytes.before);
      break;
    case 'called':
      Object.assign(record, callFields(fact));
      break;
    case 'session_written':
      record.sessionErrors += fact.errors;
      break;
    case 'ended':
      record.outcome = fact.outcome;
      record.status = fact.status;
      if (fact.cause !== undefined) record.cause = fact.cause;
      break;
    case 'observed':
      record.observation = fact.observation;
      if (fact.search !== undefined) record.searches.push(fact.search);
      break;
    case 'round_ended':
    case 'received':
    case 'searching':
    case 'delivered':
      break;
    default: {
      fact satisfies never;
    }
  }
}

/** Returns the usage of each response that reported any; no field if none did. */
function usageField({ facts }: ExchangeSoFar): Pick<ExchangeRecord, 'usage'> {
  const usage: TokenUsage[] = [];
  for (const { fact } of facts)
    if (fact.kind === 'round_ended' && fact.usage !== undefined) usage.push(fact.usage);
  return usage.length === 0 ? {} : { usage };
}

/** The format whose native mode leaves definitions out of the body until they are found. */
const LEAVES_DEFINITIONS_OUT = 'openai-responses';

/** Bytes of a body around each natively deferred definition, which the provider keeps out of the prompt as well. */
const DEFERRED_FRAME_BYTES = ',"defer_loading":true,'.length;

function addPromptBytes(record: ExchangeRecord, sent: number | undefined): void {
  if (sent === undefined) return;
  const { format, loadMode, toolBytes, tools } = record;
  const areSent = loadMode === 'native' && format !== LEAVES_DEFINITIONS_OUT;
  const unread = Math.max(0, toolBytes.before - (toolBytes.first ?? toolBytes.before));
  const outside = areSent ? unread + tools.deferred * DEFERRED_FRAME_BYTES : 0;
  if (sent > outside) record.promptBytes = sent - outside;
}

function addShown(record: ExchangeRecord, { counts, bytesBefore, bytesAfter }: ShownTools): void {
  record.tools = counts;
  record.toolBytes = addToolBytes(record.toolBytes, bytesBefore, bytesAfter);
}

/** The sizes before any request was measured. */
const NO_TOOL_BYTES: ToolBytes = { before: 0, after: 0 };

/** Adds the size of the tools in one more request. */
function addToolBytes(earlier: ToolBytes, before: number, now: number): ToolBytes {
  return { before, after: earlier.after + now, first: earlier.first ?? now };
}

/** The times of an exchange by cause, in milliseconds. */
export interface ExchangeTimes {
  /** Until the client's request body had arrived. */
  readonly receivingMs: number;
  /** All requests to the upstream except the last. */
  readonly hiddenRoundsMs: number;
  /** The last or running request to the upstream. */
  readonly lastRoundMs: number;
  /** From the head of the client's request to the end of its response, or to now. */
  readonly totalMs: number;
  /** The rest of the total: time that the client waited for the proxy alone. */
  readonly addedMs: number;
}

/**
 * Splits the client's waiting time between the client itself, the upstream and the proxy.
 *
 * All time outside receiving and upstream requests counts as the proxy's, so that none of its work is missed.
 * Work after the client has its response does not count.
 */
export function foldTimes({ startedAt, facts, now }: ExchangeSoFar): ExchangeTimes {
  const endedAt = facts.find(({ fact }) => fact.kind === 'delivered' || fact.kind === 'ended')?.at ?? now;
  const waited = (from: number, to: number) => Math.max(0, Math.min(to, endedAt) - from);
  let receivedAt = startedAt;
  let hiddenRoundsMs = 0;
  let round: { readonly from: number; readonly to: number } | undefined;
  for (const { at, fact } of facts) {
    switch (fact.kind) {
      case 'received':
        receivedAt = at;
        break;
      case 'sent':
        // A round still running at this point has failed.
        if (round) hiddenRoundsMs += waited(round.from, Math.min(round.to, at));
        round = { from: at, to: endedAt };
        break;
      case 'round_ended':
        if (round) round = { ...round, to: at };
        break;
    }
  }
  const receivingMs = receivedAt - startedAt;
  const lastRoundMs = round ? waited(round.from, round.to) : 0;
  const totalMs = waited(startedAt, endedAt);
  return {
    receivingMs,
    hiddenRoundsMs,
    lastRoundMs,
    totalMs,
    // Rounding may make the sum of the parts exceed the total.
    addedMs: Math.max(0, totalMs - receivingMs - hiddenRoundsMs - lastRoundMs),
  };
}

/** Maximum number of loaded tools that a record names. */
const MOST_LOADED = 100;

/** Returns the tools that an exchange was planned with. */
export function plannedList(facts: readonly TimedFact[]): ListedTools | undefined {
  for (const { fact } of facts) if (fact.kind === 'planned') return fact.list;
  return undefined;
}

/** Returns the use of a list in the requests of an exchange; no field without a list. */
export function toolListFields(facts: readonly TimedFact[]): Pick<ExchangeRecord, 'toolList'> {
  const list = plannedList(facts);
  if (list === undefined) return {};
  let deferred: readonly string[] = [];
  let requests = 0;
  let whole = 0;
  const loaded = new Map<string, number>();
  const show = (names: readonly string[]) => {
    const shown = deferredOf(names, deferred);
    requests++;
    if (shown.length === deferred.length) whole++;
    else for (const name of shown.map(cut)) loaded.set(name, (loaded.get(name) ?? 0) + 1);
  };
  for (const { fact } of facts) {
    if (fact.kind === 'planned') {
      deferred = fact.look?.plan.defer ?? [];
      show(fact.look?.plan.load ?? []);
    } else if (fact.kind === 'loaded') {
      show(fact.names ?? []);
    } else if (fact.kind === 'restored') {
      show(deferred);
    } else if ((fact.kind === 'left_alone' || fact.kind === 'observed') && requests > 0) {
      // It was planned, and then sent unchanged: the model saw all tools.
      whole = requests;
      loaded.clear();
    }
  }
  return {
    toolList: {
      id: list.id,
      ...(whole > 0 && deferred.length > 0 && { whole }),
      ...(loaded.size > 0 && { loaded: Object.fromEntries([...loaded].slice(0, MOST_LOADED)) }),
    },
  };
}

/** Returns the deferred tools among `names`. */
function deferredOf(names: readonly string[], deferred: readonly string[]): readonly string[] {
  if (names.length === 0 || names === deferred) return names;
  const isDeferred = setOf(deferred);
  return names.filter((name) => isDeferred.has(name));
}

const cut = (name: string) => name.slice(0, MOST_NAME_CHARS);

/**
 * Rounds milliseconds to whole microseconds: measurements are no more precise, and more digits would only
 * make lines longer.
 */
export function wholeUs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
