import type { Past } from '../../src/format/request-parts.ts';
import type { ResponseJoiner, RoundEnd } from '../../src/format/response-joiner.ts';
import type { Plan, RequestView, Round, SearchResult, Turn } from '../../src/format/view.ts';
import { sse } from '../../src/framing/sse.ts';
import { geminiInteractions } from '../../src/gemini-interactions/gemini-interactions.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';
import type { WrittenResponse } from '../format-fixtures.ts';
import { ClientBody, decodeAll } from '../frames.ts';

const NOTHING: Past = { hiddenTurns: [], rounds: [] };

/** Returns the view of a request; fails when it cannot be read. */
export function viewOf(request: Readonly<Record<string, unknown>>): RequestView {
  const body = { model: 'gemini-3-pro', input: 'Go.', ...request };
  const reading = geminiInteractions.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path: '/v1beta/interactions',
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

/** A function. */
export function fn(name: string, more: object = {}) {
  return { type: 'function', name, description: `Does ${name}.`, parameters: { type: 'object' }, ...more };
}

/** A user step. */
export function user(text: string) {
  return { type: 'user_input', content: [{ type: 'text', text }] };
}

/** Returns a plan that defers these tools and has the search tool. */
export function planOf(defer: readonly string[], load: readonly string[] = []): Plan {
  const searchTool = { name: 'gateway_search_tools', description: 'Finds tools.' };
  return { loadMode: 'swap', defer, load, searchTool, reason: 'deferred' };
}

/** Returns the request that goes upstream, parsed. */
export function edited(
  view: RequestView,
  plan: Plan,
  past: Past = NOTHING,
): Record<string, never> & { input: unknown[] } {
  return JSON.parse(Buffer.from(geminiInteractions.editing.editRequest(view, plan, past)).toString());
}

/** Returns a turn whose searches found these tools. */
export function found(turn: Turn, ...names: readonly string[]): Round {
  const tools = names.map((name) => ({ name, description: '' }));
  const results = turn.searches.map(({ id }): SearchResult => ({ callId: id, kind: 'found', tools }));
  return { turn, results };
}

/** The result of an exchange. */
export interface Played {
  readonly joiner: ResponseJoiner;
  readonly ends: readonly RoundEnd[];
  readonly turns: readonly Turn[];
  readonly sent: string;
}

/** Plays an exchange to its end, streamed or whole as the client requested. */
export function play(view: RequestView, plan: Plan, ...responses: readonly WrittenResponse[]): Played {
  const joiner = geminiInteractions.joining.joinResponses(view, plan);
  const body = new ClientBody(view.isStream);
  const ends: RoundEnd[] = [];
  for (const { stream, whole } of responses) {
    const events = view.isStream
      ? decodeAll(sse, [Buffer.from(stream)])
      : [{ kind: 'whole' as const, text: whole }];
    for (const event of events) body.write(joiner.feed(event));
    ends.push(joiner.endRound());
  }
  const last = ends.at(-1)!;
  body.write(last.kind === 'failed' ? joiner.fail(last) : joiner.finish());
  return { joiner, ends, turns: ends.flatMap((end) => ('turn' in end ? [end.turn] : [])), sent: body.end() };
}
