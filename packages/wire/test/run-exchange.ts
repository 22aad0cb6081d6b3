import type {
  AnswerJoiner,
  Format,
  Plan,
  RequestView,
  Round,
  RoundEnd,
  SearchCall,
  SearchResult,
  Turn,
} from '../src/index.ts';
import { createEventDecoder, type WireEvent } from '../src/sse.ts';
import { type AnswerRecording, SEARCH } from './format-fixtures.ts';

/** Everything that an exchange gave out. */
export interface ExchangeRun {
  /** The client's body. */
  readonly text: string;
  readonly ends: readonly RoundEnd[];
  readonly rounds: readonly Round[];
  readonly usage: AnswerJoiner['usage'];
}

/** Reads a request that must be readable. */
export function viewOf(format: Format, text: string): RequestView {
  const reading = format.readRequest(new TextEncoder().encode(text), {
    purpose: 'answer',
    searchToolName: SEARCH,
  });
  if (!reading.ok) throw new Error(`unreadable: ${reading.reason}`);
  return reading.view;
}

/** A plan that defers these tools behind the search tool. */
export function planOf(defer: readonly string[], load: readonly string[] = []): Plan {
  const searchTool = { name: SEARCH, description: 'Finds tools.' };
  return { loadMode: 'swap', defer, load, searchTool, reason: 'test' };
}

/** Lets the upstream give these answers one after the other, as the proxy would go round. */
export function runExchange(
  format: Format,
  view: RequestView,
  answers: readonly AnswerRecording[],
  plan: Plan = planOf(['weather_get', 'mail_send']),
): ExchangeRun {
  const joiner = format.joinAnswers(view, plan);
  const ends: RoundEnd[] = [];
  const rounds: Round[] = [];
  let text = '';
  for (const answer of answers) {
    for (const event of eventsOf(answer, view.isStream)) text += joiner.feed(event);
    const end = joiner.endRound();
    ends.push(end);
    if (end.kind !== 'failed') rounds.push(resolve(end.turn));
  }
  const last = ends.at(-1)!;
  text += last.kind === 'failed' ? joiner.fail(last) : joiner.finish();
  return { text, ends, rounds, usage: joiner.usage };
}

/** The events of a stream's bytes. */
export function decodeStream(pieces: Iterable<Uint8Array>): WireEvent[] {
  const decoder = createEventDecoder();
  return [...[...pieces].flatMap((bytes) => decoder.push(bytes)), ...decoder.end()];
}

/** What every search in these tests finds. */
export function foundFor({ id, query }: SearchCall): SearchResult {
  return { callId: id, kind: 'found', tools: [{ name: `${query}_found`, description: 'Found.' }] };
}

function resolve(turn: Turn): Round {
  return { turn, results: turn.searches.map(foundFor) };
}

function eventsOf({ stream, whole }: AnswerRecording, isStream: boolean): WireEvent[] {
  return isStream ? decodeStream([new TextEncoder().encode(stream)]) : [{ kind: 'whole', text: whole }];
}
