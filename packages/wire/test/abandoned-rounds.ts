import { isDeepStrictEqual } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import type { HiddenTurn, LoadMode, RequestView } from '../src/format/view.ts';
import type { WireEvent } from '../src/framing/framing.ts';
import type { Format, ResponseJoiner, Round, RoundFailure, TurnKeys } from '../src/index.ts';
import { type AnswerName, type FormatFixtures, pathOf } from './format-fixtures.ts';
import { bytesOf, decodeAll } from './frames.ts';
import { foundFor, planOf, viewOf } from './run-exchange.ts';

/** An exchange to play. Its last round may break off or be refused. */
interface Script {
  readonly rounds: readonly AnswerName[];
  readonly ending?: 'truncated' | 'refused';
}

const SCRIPTS: readonly Script[] = [
  { rounds: ['text'] },
  { rounds: ['call'] },
  { rounds: ['cut_search'] },
  { rounds: ['call_beside_search'] },
  { rounds: ['search', 'call'] },
  { rounds: ['search', 'two_searches', 'search_beside_call'] },
  { rounds: ['two_searches', 'search', 'text'] },
  { rounds: ['malformed_search', 'two_searches', 'call'] },
  { rounds: ['two_searches', 'cut_search'] },
  { rounds: ['search'] },
  { rounds: ['search', 'text'], ending: 'truncated' },
  { rounds: ['two_searches', 'call'], ending: 'truncated' },
  { rounds: ['two_searches', 'malformed_search'], ending: 'refused' },
  { rounds: ['search', 'text'], ending: 'refused' },
];

const REFUSED: RoundFailure = {
  kind: 'failed',
  reason: 'interrupted',
  message: 'It was refused.',
  refusal: { status: 529, body: '{"busy":true}' },
};

/** A round that is abandoned before another. */
interface Interruption {
  readonly script: Script;
  /** The number of the next round. */
  readonly at: number;
  readonly events: readonly WireEvent[];
  /** Whether its body ends, so that it fails, before it is abandoned. */
  readonly isEnded: boolean;
}

/** An exchange whose rounds may be abandoned. */
export interface Exchange {
  readonly join: () => ResponseJoiner;
  readonly eventsOf: (name: AnswerName) => readonly WireEvent[];
  /** Responses to abandon in addition to the answers. */
  readonly more?: readonly (readonly WireEvent[])[];
  /** Whether the start is retracted wherever possible. */
  readonly isRetracting?: boolean;
  /** The later requests that contain the rounds. */
  readonly keysOf?: (rounds: readonly Round[]) => unknown;
}

/** Tests that an abandoned round leaves no trace, wherever it breaks off and whatever follows. */
export function testAbandonedRounds({ format, framing, answers, ...fixtures }: FormatFixtures): void {
  const all = { format, framing, answers, ...fixtures };
  const request = (isStream: boolean) => {
    const messages = [fixtures.writeUserMessage('How is the weather in Zürich?')];
    const tools = ['weather_get', 'mail_send'].map((name) => fixtures.writeTool(name, `Does ${name}.`));
    return viewOf(format, fixtures.writeRequest({ isStream, tools, messages }), pathOf(all, isStream));
  };
  const decode = (stream: string) => decodeAll(framing, [bytesOf(framing, stream)]);
  const errors = [decode(answers.text.stream + fixtures.writeStreamError('Overloaded'))];
  const eventsOf = (isStream: boolean): Exchange['eventsOf'] => {
    const events = (name: AnswerName): readonly WireEvent[] =>
      isStream ? decode(answers[name].stream) : [{ kind: 'whole', text: answers[name].whole }];
    const known = new Map(ANSWERS.map((name) => [name, events(name)]));
    return (name) => known.get(name)!;
  };
  const [streamed, whole] = [eventsOf(true), eventsOf(false)];
  const exchangeOf = (isStream: boolean, loadMode: LoadMode, isRetracting: boolean): Exchange => {
    const view = request(isStream);
    const plan = planOf(['weather_get', 'mail_send'], [], loadMode);
    return {
      join: () => format.joining.joinResponses(view, plan),
      eventsOf: isStream ? streamed : whole,
      more: isStream ? errors : [],
      isRetracting,
      keysOf: (rounds) => keysOf(format, view, rounds),
    };
  };
  const canRetract = exchangeOf(true, 'swap', false).join().canRetractStart;
  const kinds = [
    ['streamed', true, false],
    ['whole', false, false],
    ...(canRetract ? [['streamed, its start retracted', true, true] as const] : []),
  ] as const;
  describe.each(kinds)('an abandoned round leaves no trace: %s', (_, isStream, isRetracting) => {
    describe.each(format.loading.modes)('by %s', (loadMode) => {
      testExchange(exchangeOf(isStream, loadMode, isRetracting));
    });
  });
}

/** Tests the same for joiners of one exchange. */
export function testExchange(exchange: Exchange): void {
  const shares = Map.groupBy(interruptionsOf(exchange), ({ script }) => script);
  test.each(SCRIPTS)('$rounds $ending', (script) => {
    const wanted = play(exchange, script, []);
    const isSame = (trace: Trace) => isDeepStrictEqual(trace, wanted);
    const share = shares.get(script)!;
    // All of them in one exchange, each alone only to find the one that leaves a trace.
    if (!inject('isExhaustive') && isSame(play(exchange, script, share))) return;
    for (const interruption of share) {
      const trace = play(exchange, script, [interruption]);
      if (isSame(trace)) continue;
      const { at, events, isEnded } = interruption;
      expect(trace, `${events.length} events before round ${at}, ended: ${isEnded}`).toEqual(wanted);
      // Vitest treats undefined members as missing.
      expect(JSON.stringify(trace)).toBe(JSON.stringify(wanted));
    }
    expect(play(exchange, script, share), 'after several abandoned rounds').toEqual(wanted);
  });
}

/**
 * Returns interruptions by every response, up to each of its events. In the unit run, they take turns at the
 * places where a round may be abandoned; in the exhaustive run, each is at all of these places.
 */
function interruptionsOf({ eventsOf, more = [] }: Exchange): readonly Interruption[] {
  const places = SCRIPTS.flatMap((script) => script.rounds.map((_, at) => ({ script, at })));
  const broken = [...ANSWERS.map(eventsOf), ...more].flatMap((response) =>
    [true, false].flatMap((isEnded) =>
      Array.from({ length: response.length + 1 }, (_, count) => {
        return { events: response.slice(0, count), isEnded };
      }),
    ),
  );
  if (inject('isExhaustive'))
    return broken.flatMap((round) => places.map((place) => ({ ...place, ...round })));
  const times = Math.ceil(places.length / broken.length);
  return Array.from({ length: times * broken.length }, (_, nth) => {
    return { ...places[nth % places.length]!, ...broken[nth % broken.length]! };
  });
}

const ANSWERS: readonly AnswerName[] = [
  'text',
  'call',
  'two_calls',
  'search',
  'two_searches',
  'search_beside_call',
  'call_beside_search',
  'malformed_search',
  'cut_search',
];

/** All results of a joiner for an exchange. */
type Trace = readonly unknown[];

/** Plays an exchange with these rounds abandoned on the way, but those that are good: they are not abandoned. */
function play(exchange: Exchange, script: Script, interruptions: readonly Interruption[]): Trace {
  const played = tryToPlay(exchange, script, interruptions);
  if ('trace' in played) return played.trace;
  return play(
    exchange,
    script,
    interruptions.filter((one) => one !== played.good),
  );
}

/** Plays an exchange up to the first interruption that is a good round. */
function tryToPlay(
  { join, eventsOf, isRetracting, keysOf }: Exchange,
  { rounds, ending }: Script,
  interruptions: readonly Interruption[],
): { readonly trace: Trace } | { readonly good: Interruption } {
  const joiner = join();
  const trace: unknown[] = [];
  const ended: Round[] = [];
  let failure: RoundFailure | undefined;
  for (const [nth, name] of rounds.entries()) {
    const good = interruptions.find((one) => one.at === nth && !abandon(joiner, one));
    if (good) return { good };
    trace.push(factsOf(joiner));
    const isLast = nth === rounds.length - 1;
    if (isLast && ending === 'refused') {
      failure = REFUSED;
      break;
    }
    const events = eventsOf(name);
    const fed = isLast && ending === 'truncated' ? events.slice(0, events.length / 2) : events;
    for (const event of fed) trace.push(joiner.feed(event), factsOf(joiner));
    const end = joiner.endRound();
    trace.push(end, factsOf(joiner));
    if (end.kind === 'failed') {
      failure = end;
      break;
    }
    ended.push({ turn: end.turn, results: end.turn.searches.map(foundFor) });
    joiner.takeResults(ended.at(-1)!.results);
    if (isRetracting && end.kind === 'searching' && !joiner.hasShown) joiner.retractStart();
  }
  trace.push(failure === undefined ? joiner.finish() : joiner.fail(failure));
  trace.push(factsOf(joiner), keysOf?.(ended));
  return { trace };
}

/** Whether a round breaks off and could be abandoned. */
function abandon(joiner: ResponseJoiner, { events, isEnded }: Interruption): boolean {
  for (const event of events) joiner.feed(event);
  if (isEnded && joiner.endRound().kind !== 'failed') return false;
  joiner.abandonRound();
  return true;
}

function factsOf({
  hasStarted,
  hasShown,
  isHolding,
  usage,
  isRoundOver,
  amendedStart,
}: ResponseJoiner): unknown {
  return { hasStarted, hasShown, isHolding, usage, isRoundOver, amendedStart };
}

function keysOf(
  format: Format,
  view: RequestView,
  rounds: readonly Round[],
): readonly [TurnKeys | undefined, HiddenTurn | undefined] | undefined {
  if (rounds.length === 0) return undefined;
  return [format.remembering.shownKeys(view, rounds), format.remembering.hideTurn(view, rounds)];
}
