import type { RequestView, VisibleTurn } from '../format/view.ts';
import { type Edit, elementsOf, type JsonObject, type Span, textOf } from '../json/json-splice.ts';

/** Adjacent elements of a history that form one turn of the model. */
export interface Run {
  /** The position of the first element. */
  readonly start: number;
  readonly items: readonly JsonObject[];
}

/** Returns the runs of elements that the model made. */
export function runsOf(history: readonly unknown[], isOfModel: (item: unknown) => boolean): Run[] {
  const runs: { start: number; items: JsonObject[] }[] = [];
  history.forEach((item, at) => {
    if (!isOfModel(item)) return;
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.items.length === at) last.items.push(item as JsonObject);
    else runs.push({ start: at, items: [item as JsonObject] });
  });
  return runs;
}

/** Returns each run as a turn with the ids of its calls. */
export function visibleTurns(
  history: readonly unknown[],
  isOfModel: (item: unknown) => boolean,
  callIdsOf: (items: readonly JsonObject[]) => readonly string[],
): VisibleTurn[] {
  return runsOf(history, isOfModel).map(({ start, items }) => ({
    position: start,
    callIds: callIdsOf(items),
  }));
}

/** Returns the span of a run in the text of a request. */
export function spanOfRun({ spans }: RequestView, { start, items }: Run): Span {
  return { start: spans.history[start]!.start, end: spans.history[start + items.length - 1]!.end };
}

/** The elements of a turn with its hidden parts, as JSON. */
export interface TurnElements {
  /** The rounds before the visible part. Their calls are Winnow's own. */
  readonly before: readonly string[];
  /** The model's last message. */
  readonly spoken: readonly string[];
  /** The results of its searches. */
  readonly behind?: readonly string[];
}

/** An edit that puts a turn back. */
export interface TurnEdit extends Edit {
  readonly elements: TurnElements;
}

/** Returns the edit that replaces a span of a history with these elements. */
export function replaceTurn({ start, end }: Span, elements: TurnElements): TurnEdit {
  const { before, spoken, behind = [] } = elements;
  return { start, end, text: [...before, ...spoken, ...behind].join(','), elements };
}

/** Returns the texts of a list's elements. */
export function elementTexts(list: string): string[] {
  return elementsOf(list, 0).map((span) => textOf(list, span));
}
