import type { Framing, WireEvent } from '../src/framing/framing.ts';
import { sse } from '../src/framing/sse.ts';
import type {
  Format,
  LoadMode,
  Plan,
  RequestView,
  ResponseJoiner,
  Round,
  RoundEnd,
  SearchCall,
  SearchResult,
  Turn,
} from '../src/index.ts';
import { BodyBytes } from '../src/json/body-bytes.ts';
import { BRIDGE, SEARCH, type WrittenResponse } from './format-fixtures.ts';
import { bytesOf, ClientBody, decodeAll } from './frames.ts';

/** All output of an exchange. */
export interface ExchangeRun {
  /** The client's body. */
  readonly text: string;
  readonly ends: readonly RoundEnd[];
  readonly rounds: readonly Round[];
  readonly usage: ResponseJoiner['usage'];
}

/** Reads a request that must be readable. */
export function viewOf(format: Format, text: string, path = '/', query = ''): RequestView {
  const reading = format.reading.readRequest(new BodyBytes([new TextEncoder().encode(text)]), {
    purpose: 'answer',
    searchToolName: SEARCH,
    path,
    query,
  });
  if (!reading.ok) throw new Error(`unreadable: ${reading.reason}`);
  return reading.view;
}

/** Returns a plan that defers these tools and has the search tool. */
export function planOf(
  defer: readonly string[],
  load: readonly string[] = [],
  loadMode: LoadMode = 'swap',
): Plan {
  const searchTool = { name: SEARCH, description: 'Finds tools.' };
  const plan = { defer, load, searchTool, reason: 'deferred' } as const;
  if (loadMode !== 'bridge') return { ...plan, loadMode };
  return { ...plan, loadMode, bridgeTool: { name: BRIDGE, description: 'Calls tools.' }, bridged: defer };
}

/** Plays these responses of the upstream one after the other, like the proxy. */
export function runExchange(
  format: Format,
  view: RequestView,
  answers: readonly WrittenResponse[],
  plan: Plan = planOf(['weather_get', 'mail_send']),
  framing: Framing = sse,
): ExchangeRun {
  const joiner = format.joining.joinResponses(view, plan);
  const body = new ClientBody(view.isStream, framing);
  const ends: RoundEnd[] = [];
  const rounds: Round[] = [];
  for (const answer of answers) {
    for (const event of eventsOf(answer, view.isStream, framing)) body.write(joiner.feed(event));
    const end = joiner.endRound();
    ends.push(end);
    if (end.kind === 'failed') continue;
    rounds.push(resolve(end.turn));
    if (end.kind === 'searching') joiner.takeResults(rounds.at(-1)!.results);
  }
  const last = ends.at(-1)!;
  body.write(last.kind === 'failed' ? joiner.fail(last) : joiner.finish());
  return { text: body.end(), ends, rounds, usage: joiner.usage };
}

/** The tools that every search in these tests finds. */
export function foundFor({ id, queries }: SearchCall): SearchResult {
  return { callId: id, kind: 'found', tools: [{ name: `${queries[0]}_found`, description: 'Found.' }] };
}

function resolve(turn: Turn): Round {
  return { turn, results: turn.searches.map(foundFor) };
}

function eventsOf({ stream, whole }: WrittenResponse, isStream: boolean, framing: Framing): WireEvent[] {
  return isStream ? decodeAll(framing, [bytesOf(framing, stream)]) : [{ kind: 'whole', text: whole }];
}
