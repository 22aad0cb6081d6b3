import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { roundFailure } from '../joining/round-failure.ts';
import { parseJson } from '../json/parse-json.ts';
import { readQuery } from '../tools/read-query.ts';
import { guild } from '../vendors/guild.ts';
import type { Ask } from './read-request.ts';

/** An event of a stream has one of these, a whole response the same put together. */
interface Piece {
  readonly words?: string;
  readonly ask?: Ask;
  readonly asks?: readonly Ask[];
  readonly over?: { readonly why: string; readonly counted: { readonly in: number; readonly out: number } };
}

/** The joiner for one exchange. */
export function joinResponses({ isStream }: RequestView, { searchTool }: Plan): ResponseJoiner {
  return new ParleyJoiner(isStream, searchTool?.name);
}

class ParleyJoiner implements ResponseJoiner {
  hasStarted = false;
  isRoundOver = false;
  usage: Usage | undefined;
  readonly #isStream: boolean;
  readonly #searchToolName: string | undefined;
  #words: string[] = [];
  #asks: Ask[] = [];
  #seen: Piece & { readonly asks: Ask[] } = { words: '', asks: [] };
  #end: StreamEvent | undefined;
  #usageBefore: Usage | undefined;

  constructor(isStream: boolean, searchToolName: string | undefined) {
    this.#isStream = isStream;
    this.#searchToolName = searchToolName;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (event.kind === 'comment') return [event];
    const whole = event.kind === 'whole';
    const piece = parseJson(whole ? event.text : event.data) as Piece;
    const asks = [...(piece.asks ?? []), ...(piece.ask ? [piece.ask] : [])];
    this.#words.push(piece.words ?? '');
    this.#asks.push(...asks);
    if (piece.over) this.#takeEnd(whole ? { kind: 'event', data: event.text } : event, piece.over);
    const isHidden =
      whole || piece.over !== undefined || asks.some(({ tool }) => tool === this.#searchToolName);
    this.hasStarted ||= !isHidden;
    return isHidden ? [] : [event];
  }

  get hasShown(): boolean {
    return this.hasStarted;
  }

  abandonRound(): void {
    this.#words = [];
    this.#asks = [];
    this.#end = undefined;
    this.isRoundOver = false;
    this.usage = this.#usageBefore;
  }

  endRound(): RoundEnd {
    this.isRoundOver = false;
    if (this.#end === undefined) return roundFailure('truncated');
    const said = { who: 'machine', words: this.#words.join(''), asks: this.#asks };
    const searches = said.asks.filter(({ tool }) => tool === this.#searchToolName);
    const real = said.asks.filter((ask) => !searches.includes(ask));
    this.#seen = { words: this.#seen.words + said.words, asks: [...this.#seen.asks, ...real] };
    this.#words = [];
    this.#asks = [];
    this.#usageBefore = this.usage;
    const turn = {
      message: JSON.stringify(said),
      realCalls: real.map(({ ticket, tool }) => ({ id: ticket, name: tool })),
      searches: searches.map((ask) => ({ id: ask.ticket, name: ask.tool, query: readQuery(ask.with) })),
    };
    if (searches.length > 0 && real.length === 0) return { kind: 'searching', turn };
    return { kind: 'finished', turn, stopReason: (parseJson(this.#end.data) as Piece).over!.why };
  }

  finish(): readonly WireEvent[] {
    const over = { ...(parseJson(this.#end!.data) as Piece).over!, counted: this.#counted };
    if (!this.#isStream) return [{ kind: 'whole', text: JSON.stringify({ ...this.#seen, over }) }];
    return [withData(this.#end!, JSON.stringify({ over }))];
  }

  fail({ message }: RoundFailure): readonly WireEvent[] {
    const body = guild.errorBody({ status: 502, message });
    return [this.#isStream ? { kind: 'event', data: body } : { kind: 'whole', text: body }];
  }

  get #counted() {
    return { in: this.usage?.inputTokens ?? 0, out: this.usage?.outputTokens ?? 0 };
  }

  #takeEnd(end: StreamEvent, { counted }: NonNullable<Piece['over']>): void {
    this.#end = end;
    this.isRoundOver = true;
    const before = this.#counted;
    this.usage = { inputTokens: before.in + counted.in, outputTokens: before.out + counted.out };
  }
}
