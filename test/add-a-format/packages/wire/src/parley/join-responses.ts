import { type JoinResponses, type RoundFailure, roundFailure } from '../format/response-joiner.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/framing.ts';
import {
  type EndedRound,
  type ExchangeState,
  NOTHING,
  RoundJoiner,
  type RoundReducer,
  type Step,
  startOfExchange,
  withState,
} from '../joining/round-joiner.ts';
import type { CountRules } from '../joining/rounds-usage.ts';
import { sumCounts, toUsage } from '../joining/rounds-usage.ts';
import { parseObject } from '../json/json-members.ts';
import { queriesIn } from '../tools/hidden-names.ts';
import { guild } from '../vendors/guild.ts';
import type { Ask } from './read-request.ts';

/** An event of a stream has one of these members; a whole response has all of them combined. */
interface Piece {
  readonly words?: string;
  readonly ask?: Ask;
  readonly asks?: readonly Ask[];
  readonly over?: { readonly why: string; readonly counted: Counted };
}

interface Counted {
  readonly in: number;
  readonly out: number;
}

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, { searchTool }) =>
  new RoundJoiner<ParleyState>(reducerOf(searchTool?.name), {
    ...startOfExchange(view, COUNT_RULES),
    ...{ reader: new Said(), seen: { words: '', asks: [] }, end: undefined },
  });

const COUNT_RULES: CountRules = {
  toUsage: ({ in: input, out: output }) => toUsage({ input, output }),
  sum: sumCounts,
  show: sumCounts,
};

/** The text of one round. */
class Said {
  readonly words: string[] = [];
  readonly asks: Ask[] = [];
  usage: { readonly in: number; readonly out: number } | undefined;
}

interface ParleyState extends ExchangeState {
  readonly reader: Said;
  /** The text of all rounds that the client sees. */
  readonly seen: { readonly words: string; readonly asks: readonly Ask[] };
  readonly end: StreamEvent | undefined;
}

function reducerOf(searchToolName: string | undefined): RoundReducer<ParleyState> {
  const isSearch = ({ tool }: Ask) => tool === searchToolName;

  const take = (state: ParleyState, event: StreamEvent): Step<ParleyState> => {
    const { words = '', ask, asks = [], over } = (parseObject(event.data) ?? {}) as Piece;
    const all = [...asks, ...(ask ? [ask] : [])];
    state.reader.words.push(words);
    state.reader.asks.push(...all);
    state.reader.usage = over?.counted ?? state.reader.usage;
    if (over !== undefined) return { state: { ...state, end: event }, events: NOTHING };
    if (all.some(isSearch)) return { state, events: NOTHING };
    return { state: withState(state, { hasShown: true }), events: [event] };
  };

  const end = (state: ParleyState): EndedRound<ParleyState> | RoundFailure => {
    const { reader, seen } = state;
    if (state.end === undefined) return roundFailure('truncated');
    const said = { who: 'machine', words: reader.words.join(''), asks: reader.asks };
    const searches = said.asks.filter(isSearch);
    const real = said.asks.filter((ask) => !isSearch(ask));
    const turn = {
      message: JSON.stringify(said),
      realCalls: real.map(({ ticket, tool }) => ({ id: ticket, name: tool })),
      searches: searches.map((ask) => ({ id: ask.ticket, name: ask.tool, queries: queriesIn(ask.with) })),
    };
    const next = { ...state, seen: { words: seen.words + said.words, asks: [...seen.asks, ...real] } };
    return { kind: 'ended', state: next, turn, stopReason: overOf(state).why };
  };

  return {
    begin: (left) => ({ ...left, reader: new Said(), end: undefined }),
    takeEvent: take,
    takeWhole: (state, text) => take(state, { kind: 'event', data: text }),
    isOver: (state) => state.end !== undefined,
    end,
    finish: (state): readonly WireEvent[] => {
      const over = { ...overOf(state), counted: state.used.shownWith(state.reader.usage) };
      const { isWhole, seen } = state;
      if (isWhole) return [{ kind: 'whole', text: JSON.stringify({ ...seen, over }) }];
      return [withData(state.end!, JSON.stringify({ over }))];
    },
    fail: ({ isWhole }, { message }) => {
      const body = guild.errorBody({ status: 502, message });
      return [isWhole ? { kind: 'whole', text: body } : { kind: 'event', data: body }];
    },
  };
}

function overOf({ end }: ParleyState): NonNullable<Piece['over']> {
  return ((parseObject(end!.data) ?? {}) as Piece).over!;
}
