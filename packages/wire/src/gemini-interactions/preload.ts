import {
  appendDefinitions,
  isTextInput,
  preloadedText,
  type TextStyle,
  textForms,
} from '../bridge/preloaded-text.ts';
import type { LoadMode, Plan, PreloadForm, RequestView } from '../format/view.ts';
import { type Edit, textOrNone } from '../json/json-splice.ts';
import { endOfOpening, insertBehind } from '../turns/first-message.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { isContent } from './read-steps.ts';

const TEXT: TextStyle = { writeText: (text) => `{"type":"text","text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  if (loadMode !== 'bridge' || textOrNone(view.body.previous_interaction_id) !== undefined) return [];
  if (isTextInput(view) || lastContent(view) !== undefined) return ['text'];
  return textForms(TEXT)(view, loadMode);
}

/** Returns the edits that append the definitions of preloaded tools to the first message in a list. */
export function defineInMessage(view: RequestView, plan: Plan): Edit[] {
  if (isTextInput(view)) return [];
  const last = lastContent(view);
  if (last === undefined) return appendDefinitions(view, plan, bridgeDialect, TEXT);
  const preloaded = preloadedText(view, plan, bridgeDialect);
  return preloaded ? [insertBehind(view, last, [TEXT.writeText(JSON.stringify(preloaded.text))])] : [];
}

/** Returns the index of the last element before the first turn if it is a content without a step. */
function lastContent(view: RequestView): number | undefined {
  const end = endOfOpening(view);
  const isInList = Array.isArray(view.body.input);
  return isInList && end !== undefined && isContent(view.history[end]) ? end : undefined;
}
