import { type Edit, elementsOf, type Span, splice, textOf } from '@winnow/core';
import type { Past, RequestEditor } from '../format/request-parts.ts';
import type { Plan, RequestView } from '../format/view.ts';
import { parseJson } from '../json/json-value.ts';
import { writeRequest } from '../request/write-request.ts';
import type { DeclaredTools } from '../turns/kept-result.ts';
import type { FormatTurns } from '../turns/remember-turns.ts';
import { replaceTurn, type TurnEdit } from '../turns/visible-form.ts';
import { bridgeOf } from './bridge.ts';
import { type BridgeDialect, CallWriter } from './call-writer.ts';
import { resultTools } from './found-definitions.ts';

export interface EditedRequest {
  readonly view: RequestView;
  readonly plan: Plan;
  readonly past: Past;
  /** The tools that results refer to. Results must be written in the order of the request's text. */
  readonly declared: DeclaredTools;
}

/** Returns the editor of a format's requests; `editsOf` returns the edits without those of bridge mode. */
export function createRequestEditor(
  format: BridgedFormat,
  editsOf: (request: EditedRequest) => readonly Edit[],
): RequestEditor['editRequest'] {
  return (view, plan, past) => {
    const declared = resultTools(view, plan, format.dialect);
    const edits = editsOf({ view, plan, past, declared });
    return writeRequest(view, bridgeHistory(view, plan, past, { ...format, edits }));
  };
}

/** The parts of a format that bridge mode needs. */
interface BridgedFormat {
  readonly dialect: BridgeDialect;
  readonly turns: Pick<FormatTurns, 'recallByTurn'>;
}

/** Edits of a request. */
interface BridgedEdits<One extends Edit> extends BridgedFormat {
  readonly edits: readonly One[];
}

/**
 * Returns the edits of a request, with the calls of bridged tools in its history written as calls of the
 * bridge tool: those of the client's messages as well as those in restored and appended ones. The same edits
 * for a plan of another mode. The last step of `editRequest`.
 */
export function bridgeHistory<One extends Edit>(
  view: RequestView,
  plan: Plan,
  { hiddenTurns }: Past,
  { edits, dialect, turns }: BridgedEdits<One>,
): readonly (One | Edit)[] {
  if (plan.loadMode !== 'bridge') return edits;
  const isNoted = hiddenTurns.some(({ exact }) => exact !== undefined);
  const recalled = isNoted ? turns.recallByTurn(view, hiddenTurns) : [];
  const calls = new CallWriter(bridgeOf(view, plan, dialect));
  const write = (text: string, element: unknown) => dialect.writeElement(text, element, calls);
  const writeAdded = (text: string) => (MAY_NAME.test(text) ? write(text, parseJson(text)) : text);
  const { history } = view.spans;
  const own = edits
    .filter((edit) => isInHistory(edit, history))
    .sort((left, right) => left.start - right.start);
  const written: (One | Edit)[] = edits.filter((edit) => !isInHistory(edit, history));
  let next = 0;
  let replacedTo = 0;
  let turn = 0;
  // An edit may replace what stands before a turn together with it.
  const beginTurns = (end: number) => {
    for (; turn < view.turns.length && history[view.turns[turn]!.position]!.start < end; turn += 1) {
      calls.beginTurn(recalled[turn]?.exact ?? []);
    }
  };
  for (const [at, span] of history.entries()) {
    beginTurns(span.end);
    if (span.start < replacedTo) continue;
    const within: Edit[] = [];
    for (; next < own.length && own[next]!.start < span.end; next += 1) {
      const edit = own[next]!;
      const isWhole = isBefore(edit, span) || replaces(edit, span);
      if (replaces(edit, span)) beginTurns(edit.end);
      if (isWhole) written.push(writeEdit(edit, writeAdded));
      if (replaces(edit, span)) replacedTo = edit.end;
      if (!isWhole) within.push(moved(edit, span.start));
    }
    if (span.start < replacedTo) continue;
    const text = textOf(view.text, span);
    const shown =
      within.length === 0 ? write(text, view.history[at]) : writeElements(splice(text, within), writeAdded);
    if (shown !== text) written.push({ ...span, text: shown });
  }
  return [...written, ...own.slice(next).map((edit) => writeEdit(edit, writeAdded))];
}

/** Whether an edit changes the history: its elements, or the places between and behind them. */
function isInHistory({ start, end }: Edit, history: readonly Span[]): boolean {
  const [first, last] = [history[0], history.at(-1)];
  return first !== undefined && last !== undefined && start >= first.start && end <= last.end;
}

/** Whether an edit ends before an element. */
function isBefore({ end }: Edit, { start }: Span): boolean {
  return end <= start;
}

/**
 * A text that may hold a call, or a result that names its tool: all formats write these names under keys that
 * end so. A quote within a text has a backslash before it, and a key may be written with escapes.
 */
const MAY_NAME = /name"|\\u/;

type WriteElement = (text: string) => string;

/** Only a turn's own message can hold calls of the client's tools. */
function writeEdit(edit: Edit | TurnEdit, write: WriteElement): Edit {
  const { start, end } = edit;
  if (!('elements' in edit)) return { start, end, text: writeElements(edit.text, write) };
  const { elements } = edit;
  return replaceTurn({ start, end }, { ...elements, spoken: elements.spoken.map(write) });
}

/** Writes a list of elements without its brackets; it may begin or end with a comma. */
function writeElements(text: string, write: WriteElement): string {
  if (!MAY_NAME.test(text)) return text;
  const lead = /^\s*,?/.exec(text)![0];
  const list = `[${text.slice(lead.length)}]`;
  const edits = elementsOf(list, 0).map((span) => ({ ...span, text: write(textOf(list, span)) }));
  return lead + splice(list, edits).slice(1, -1);
}

/** Whether an edit replaces an element whole, and perhaps those behind it. */
function replaces(edit: Edit, { start, end }: Span): boolean {
  return edit.start <= start && edit.end >= end;
}

function moved({ start, end, text }: Edit, distance: number): Edit {
  return { start: start - distance, end: end - distance, text };
}
