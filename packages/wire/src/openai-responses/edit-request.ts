import { createRequestEditor } from '../bridge/create-request-editor.ts';
import { inputText } from '../bridge/preloaded-text.ts';
import type { HiddenTurn, Round } from '../format/view.ts';
import { setMember } from '../json/json-splice.ts';
import { surroundInput } from '../request/surround-input.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { endOfOpening, insertBehind } from '../turns/first-message.ts';
import { type KeptResult, keepResults } from '../turns/kept-result.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { elementTexts } from '../turns/runs.ts';
import { goOnFrom } from '../turns/stored-by-id.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editTools } from './edit-tools.ts';
import { defineInMessage, preloadedItems } from './preload.ts';
import { restoreTurns, withoutId } from './restore-turns.ts';
import { turns } from './turns.ts';
import { type ResultSource, writeResults } from './write-results.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past, declared }) => {
    const source = { section: view.toolSection, declared };
    const mending = {
      // The last of many rounds shows all tools, but the history that earlier rounds sent must stay the same.
      mayBeLost: hidesCalls(plan) || past.rounds.length > 0,
      dropsThinking: past.dropsThinking ?? false,
      dropsIds: past.dropsIds ?? false,
    };
    const front = past.alias === undefined ? [] : pendingResults(past.alias.results, source);
    // Results are written in their order: a tool is defined in the first one that names it.
    const preloaded = preloadedItems(plan, source);
    const restored = restoreTurns(view, past.hiddenTurns, source, mending);
    const rounds = past.rounds.flatMap((round) => itemsOfRound(round, source, past.dropsIds));
    const end = endOfOpening(view);
    const isLast = end === view.history.length - 1;
    return [
      ...editTools(view, plan, plan.loadMode === 'native' ? namesIn(past.hiddenTurns) : []),
      ...restored,
      ...goOnFrom(view, 'previous_response_id', past.alias?.rounds.at(-1)),
      ...(preloaded.length === 0 || end === undefined || isLast ? [] : [insertBehind(view, end, preloaded)]),
      ...defineInMessage(view, plan),
      ...surroundInput(view, {
        front,
        back: isLast ? [...preloaded, ...rounds] : rounds,
        ownText: inputText(view, plan, bridgeDialect),
        asElement: (own) => `{"role":"user","content":${own}}`,
      }),
      // The tools stay the same, so that the prompt is still cached.
      ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '"none"')] : []),
    ];
  },
);

/** Returns the names in the results of hidden turns. */
function namesIn(hiddenTurns: readonly HiddenTurn[]): string[] {
  return hiddenTurns.flatMap((hidden) => {
    const { earlier, last } = hiddenRounds(hidden);
    return [...earlier, last].flatMap(({ results }) => results.flatMap(({ names }) => names));
  });
}

/**
 * Returns the results of searches that came together with real calls. The client brings the other results in
 * this request.
 */
function pendingResults(results: readonly string[], source: ResultSource): string[] {
  return results.flatMap((text) => {
    const { isNative, ...result } = JSON.parse(text) as KeptResult & { readonly isNative: boolean };
    const call = { type: isNative ? 'tool_search_call' : 'function_call', call_id: result.callId };
    return writeResults(JSON.stringify([call]), [result], source);
  });
}

/** Returns the model's original items, followed by the results of its searches. */
function itemsOfRound(round: Round, source: ResultSource, dropsIds = false): string[] {
  const { message } = round.turn;
  const items = elementTexts(message);
  return [...(dropsIds ? items.map(withoutId) : items), ...writeResults(message, keepResults(round), source)];
}
