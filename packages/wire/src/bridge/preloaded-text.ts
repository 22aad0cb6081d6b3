import { describeDefinitions, preloadHeading } from '@winnow/core';
import type { LoadMode, Plan, PreloadForm, RequestView } from '../format/view.ts';
import { type Edit, textOf } from '../json/json-splice.ts';
import { appendParts, contentOf, firstMessage, preloadBy } from '../turns/first-message.ts';
import { callableIn, type ToolReading } from './bridge.ts';

/** The definitions at the end of a conversation's first message. */
export interface PreloadedText {
  readonly text: string;
  /** Names of the tools that it defines. */
  readonly defined: readonly string[];
}

/** Returns the definitions of the tools that a plan preloads as text; undefined when there are none. */
export function preloadedText(
  view: RequestView,
  plan: Plan,
  reading: ToolReading,
): PreloadedText | undefined {
  const preload = preloadBy(plan, 'text');
  if (preload === undefined || plan.loadMode !== 'bridge' || view.toolSection === undefined) return undefined;
  const callable = callableIn(view.toolSection, reading.parametersOf);
  const { text, defined } = describeDefinitions(preload.names.flatMap((name) => callable.get(name) ?? []));
  if (text === '') return undefined;
  return { text: `${preloadHeading(plan.bridgeTool.name)}\n${text}`, defined };
}

/** Returns a text of the client's without the definitions of preloaded tools at its end. */
export function withoutPreloaded(text: string, bridgeToolName: string): string {
  const heading = `${preloadHeading(bridgeToolName)}\n`;
  if (text.startsWith(heading)) return '';
  const at = text.lastIndexOf(`\n\n${heading}`);
  return at === -1 ? text : text.slice(0, at);
}

/** The way in which a format writes text at the end of a message. */
export interface TextStyle {
  /** The member of a message that holds its parts; `content` by default. */
  readonly member?: string;
  /** Whether a text in place of a list of parts stays a text. False by default. */
  readonly keepsText?: true;
  /** Returns a part with this text, both as JSON. */
  readonly writeText: (text: string) => string;
  /** Returns such a part behind the client's own; like `writeText` by default. */
  readonly writeLast?: (text: string) => string;
}

/**
 * Returns the function for the forms in which a request can bring preloaded tools in bridge mode: text, where the
 * first message has a place for it.
 */
export function textForms({ member }: TextStyle) {
  return (view: RequestView, loadMode: LoadMode): readonly PreloadForm[] => {
    const at = firstMessage(view);
    return loadMode === 'bridge' && at !== undefined && contentOf(view, at, member) ? ['text'] : [];
  };
}

/** Returns the edits that append the definitions of preloaded tools to the first message, behind its parts. */
export function appendDefinitions(
  view: RequestView,
  plan: Plan,
  reading: ToolReading,
  { member, keepsText, writeText, writeLast = writeText }: TextStyle,
): Edit[] {
  const preloaded = preloadedText(view, plan, reading);
  const at = firstMessage(view);
  const place = at === undefined ? undefined : contentOf(view, at, member);
  if (preloaded === undefined || place === undefined) return [];
  const text = JSON.stringify(preloaded.text);
  if (!place.isText || !keepsText) return [appendParts(view, place, [writeLast(text)], writeText)];
  const end = place.content.end - 1;
  const gap = textOf(view.text, place.content) === '""' ? '' : '\\n\\n';
  return [{ start: end, end, text: gap + text.slice(1, -1) }];
}

/** Whether a text stands in place of the list in a request's `input`. */
export function isTextInput({ body }: RequestView): boolean {
  return typeof body.input === 'string';
}

/**
 * Returns the text that stands in place of the list in a request's `input`, as JSON, with the definitions of
 * preloaded tools; undefined for a list.
 */
export function inputText(view: RequestView, plan: Plan, reading: ToolReading): string | undefined {
  const [first] = view.spans.history;
  if (!isTextInput(view) || first === undefined) return undefined;
  const preloaded = preloadedText(view, plan, reading);
  if (preloaded === undefined) return textOf(view.text, first);
  return JSON.stringify(`${String(view.body.input)}\n\n${preloaded.text}`);
}
