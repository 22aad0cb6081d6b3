import { type Edit, setMember, textOf } from '@winnow/core';
import { createRequestEditor } from '../bridge/bridge-history.ts';
import {
  appendDefinitions,
  inputText,
  isTextInput,
  preloadedText,
  type TextStyle,
  textForms,
} from '../bridge/found-definitions.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type { StoredBridge } from '../format/request-parts.ts';
import type { HiddenTurn, LoadMode, Plan, PreloadForm, RequestView, Round } from '../format/view.ts';
import { isJsonObject, textOrNone } from '../json/json-value.ts';
import { surroundInput } from '../request/write-request.ts';
import { goOnFrom } from '../stored/stored-by-id.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';
import { endOfOpening, insertBehind } from '../turns/preload.ts';
import { type HiddenRound, hiddenRounds } from '../turns/remember-turns.ts';
import { elementTexts, replaceTurn, spanOfRun } from '../turns/visible-form.ts';
import { bridgeDialect, renameResults } from './bridge-dialect.ts';
import { isContent } from './read-request.ts';
import { runsIn, signThoughts, turns, writeResult, writeResults } from './turns.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past: { hiddenTurns, rounds, dropsThinking = false, alias }, declared }) => {
    // Results are written in their order: a tool is defined in the first one that names it.
    const front = alias === undefined ? [] : pendingResults(alias.results, declared);
    const { edits: restoring, restored } = restoreTurns(view, hiddenTurns, declared);
    const back = rounds.flatMap((round) => stepsOfRound(round, declared));
    return [
      ...swapTools(view, plan, writeTool),
      ...defineInMessage(view, plan),
      ...restoring,
      ...(dropsThinking ? signThoughts(view, restored) : []),
      ...goOnFrom(view, 'previous_interaction_id', alias?.rounds.at(-1)),
      ...surroundInput(view, {
        ...{ front, back },
        ownText: inputText(view, plan, bridgeDialect),
        asElement: (own) => userStep(view, own),
        // A list holds either contents or steps.
        within: wrapContents(view),
      }),
      ...(plan.loadMode === 'bridge' ? [] : answerBridge(view, alias?.bridge)),
      ...(plan.forbidsCalls ? [forbidCalls(view)] : []),
    ];
  },
);

function forbidCalls({ text, body, spans }: RequestView): Edit {
  const config = spans.members.get('generation_config');
  if (config === undefined || !isJsonObject(body.generation_config))
    return setMember(text, spans.root, 'generation_config', '{"tool_choice":"none"}');
  return setMember(text, config, 'tool_choice', '"none"');
}

/**
 * Returns the edits by which results answer bridge calls of a stored interaction. A request that goes on without tools
 * is not in bridge mode itself.
 */
function answerBridge({ text, body, history, spans }: RequestView, bridge: StoredBridge | undefined): Edit[] {
  const open = new Set(bridge?.open);
  if (bridge === undefined || open.size === 0 || !Array.isArray(body.input)) return [];
  return history.flatMap((element, at) => {
    const span = spans.history[at]!;
    const own = textOf(text, span);
    const named = renameResults(own, element, (name, id) =>
      id !== undefined && open.has(id) ? bridge.tool : name,
    );
    return named === own ? [] : [{ ...span, text: named }];
  });
}

/**
 * A result, kept in an alias, of a search that came together with real calls, with the name of the called
 * tool.
 */
export interface PendingResult extends KeptResult {
  readonly name?: string | undefined;
}

/** Returns the pending results as steps: the client now brings the results of the other calls. */
function pendingResults(results: readonly string[], declared: DeclaredTools): string[] {
  return results.map((text) => {
    const result = JSON.parse(text) as PendingResult;
    return writeResult(result, result.name, declared);
  });
}

/** Returns the model's own steps unchanged, followed by the results of its searches. */
function stepsOfRound(round: Round, declared: DeclaredTools): string[] {
  const { message } = round.turn;
  return [...elementTexts(message), ...writeResults(message, keepResults(round), declared)];
}

/** Returns the content in place of a list as a user step. */
function userStep({ text, spans }: RequestView, ownText: string | undefined): string {
  const content =
    ownText === undefined ? textOf(text, spans.history[0]!) : `{"type":"text","text":${ownText}}`;
  return `${OPEN_INPUT}${content}${CLOSE_INPUT}`;
}

const OPEN_INPUT = '{"type":"user_input","content":[';
const CLOSE_INPUT = ']}';

/** Wraps adjacent contents in one user step. */
function wrapContents({ history, spans }: RequestView): Edit[] {
  return history.flatMap((element, at) => {
    if (!isContent(element)) return [];
    const { start, end } = spans.history[at]!;
    return [
      ...(isContent(history[at - 1]) ? [] : [{ start, end: start, text: OPEN_INPUT }]),
      ...(isContent(history[at + 1]) ? [] : [{ start: end, end, text: CLOSE_INPUT }]),
    ];
  });
}

/** The edits that put hidden turns back. */
interface Restoration {
  readonly edits: readonly Edit[];
  /** Positions of the turns that again hold the model's original steps. */
  readonly restored: ReadonlySet<number>;
}

/**
 * Returns the edits that put back every hidden turn whose visible part is unchanged in the history. All steps
 * of a turn become the model's original ones, so that each signature is in its place; a changed turn is left
 * alone.
 */
function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  declared: DeclaredTools,
): Restoration {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  const edits: Edit[] = [];
  const restored = new Set<number>();
  for (const [index, run] of runsIn(view).entries()) {
    const hidden = recalled[index];
    if (hidden === undefined) continue;
    const { earlier, last } = hiddenRounds(hidden);
    const write = ({ message, results }: HiddenRound) => [
      ...elementTexts(message),
      ...writeResults(message, results, declared),
    ];
    restored.add(run.start);
    // Results are written in their order: a tool is defined in the first one that names it.
    const before = earlier.flatMap(write);
    edits.push(replaceTurn(spanOfRun(view, run), { before, spoken: write(last) }));
  }
  return { edits, restored };
}

const TEXT: TextStyle = { writeText: (text) => `{"type":"text","text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  if (loadMode !== 'bridge' || textOrNone(view.body.previous_interaction_id) !== undefined) return [];
  if (isTextInput(view) || lastContent(view) !== undefined) return ['text'];
  return textForms(TEXT)(view, loadMode);
}

/** Returns the edits that append the definitions of preloaded tools to the first message in a list. */
function defineInMessage(view: RequestView, plan: Plan): Edit[] {
  if (isTextInput(view)) return [];
  const last = lastContent(view);
  if (last === undefined) return appendDefinitions(view, plan, bridgeDialect, TEXT);
  const preloaded = preloadedText(view, plan, bridgeDialect);
  return preloaded ? [insertBehind(view, last, [TEXT.writeText(preloaded.json)])] : [];
}

/** Returns the index of the last element before the first turn if it is a content without a step. */
function lastContent(view: RequestView): number | undefined {
  const end = endOfOpening(view);
  const isInList = Array.isArray(view.body.input);
  return isInList && end !== undefined && isContent(view.history[end]) ? end : undefined;
}

/** Returns a tool as the JSON of a function. */
function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ type: 'function', name, description, parameters });
}
