import { type Edit, foundLine, memberSpan, setMember, splice } from '@winnow/core';
import { createRequestEditor } from '../bridge/bridge-history.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/found-definitions.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type {
  LoadMode,
  Plan,
  PreloadForm,
  RequestView,
  Round,
  ToolEntry,
  ToolSection,
} from '../format/view.ts';
import { isJsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import {
  appendToHistory,
  type SectionEdit,
  type WrittenText,
  writtenText,
} from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { deferredOf, swapTools, writeOwnTools } from '../tools/swap-tools.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';
import { restoreMessages } from '../turns/message-turns.ts';
import { endOfOpening, firstMessage, insertBehind, preloadBy, preloadedSearch } from '../turns/preload.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { restoreMessage, turns } from './turns.ts';

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past: { hiddenTurns, rounds, without }, declared }) => {
    const style = { loadMode: plan.loadMode, declared };
    return [
      ...editTools(view, plan),
      ...preloadTools(view, plan, style),
      ...restoreMessages(view, hiddenTurns, {
        turns,
        restoreMessage,
        resultMessages: ({ results }) => resultMessages(results, style),
      }),
      ...appendToHistory(
        view,
        'messages',
        rounds.flatMap((round) => messagesOfRound(round, style)),
      ),
      ...((hidesCalls(plan) || rounds.length > 0) && !without?.has('usage') ? askForUsage(view) : []),
      ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '"none"')] : []),
    ];
  },
);

/** Requests the usage of every round, because a sum over rounds needs all of them. */
function askForUsage({ isStream, wantsUsage, body, text, spans }: RequestView): Edit[] {
  if (!isStream || wantsUsage) return [];
  const options = spans.members.get('stream_options');
  if (options === undefined) {
    const end = Math.max(...[...spans.members.values()].map((member) => member.end));
    return [{ start: end, end, text: `,"stream_options":${USAGE_OPTIONS}` }];
  }
  if (!isJsonObject(body.stream_options)) return [{ ...options, text: USAGE_OPTIONS }];
  return [setMember(text, options, 'include_usage', 'true')];
}

const USAGE_OPTIONS = '{"include_usage":true}';

/**
 * Returns the edits that give a request the tools of a plan. In native mode, every entry stays in its place,
 * the deferred ones get `defer_loading` in `function`, and the search tool follows the last entry. The
 * entries never depend on the tools found or called.
 */
function editTools(view: RequestView, plan: Plan): SectionEdit[] {
  if (plan.loadMode !== 'native') return swapTools(view, plan, writeTool);
  return markTools(view, plan, writeOwnTools(plan, writeTool));
}

/** Writes a tool of the proxy. */
export const writeTool = rememberBy(({ name, description, parameters }: AddedTool): string =>
  JSON.stringify({ type: 'function', function: { name, description, parameters } }),
);

function markTools(
  { toolSection: section, spans }: RequestView,
  { defer }: Plan,
  searchTool: string | undefined,
): SectionEdit[] {
  if (section === undefined || spans.tools === undefined) return [];
  const written = markSection(section, defer, searchTool);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const markSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    searchTool: string | undefined,
  ): WrittenText | undefined => {
    const { text, entries } = section;
    const deferred = deferredOf(section, defer);
    // With every tool deferred and no search tool, the model would have no tools.
    const isEmpty = searchTool === undefined && deferred.size === entries.length;
    const last = entries.at(-1);
    if (last === undefined || isEmpty) return undefined;
    const edits = [...deferred].map((entry) => deferLoading(text, entry));
    const { end } = last.span;
    if (searchTool !== undefined) edits.push({ start: end, end, text: `,${searchTool}` });
    return edits.length === 0 ? undefined : writtenText(splice(text, edits));
  },
);

/**
 * Marks an entry as deferred within `function`. vLLM and SGLang prefer this mark and fall back to one next to
 * `type`.
 */
function deferLoading(text: string, { span }: ToolEntry): Edit {
  return setMember(text, memberSpan(text, span.start, 'function')!, 'defer_loading', 'true');
}

/** Some servers take nothing but a text for the content of a message. */
const TEXT: TextStyle = { keepsText: true, writeText: (text) => `{"type":"text","text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  if (loadMode !== 'native') return textForms(TEXT)(view, loadMode);
  return firstMessage(view) === undefined ? [] : ['search'];
}

/** Returns the edits that bring the tools that a plan preloads. */
function preloadTools(view: RequestView, plan: Plan, style: ResultStyle): Edit[] {
  const end = endOfOpening(view);
  const preload = preloadBy(plan, 'search');
  if (preload === undefined || plan.searchTool === undefined || end === undefined) {
    return appendDefinitions(view, plan, bridgeDialect, TEXT);
  }
  return [insertBehind(view, end, searchFor(preload.names, plan.searchTool.name, style))];
}

function searchFor(names: readonly string[], searchToolName: string, style: ResultStyle): string[] {
  const { id, queries, result } = preloadedSearch(names, 'call_');
  const called = { name: searchToolName, arguments: JSON.stringify({ queries }) };
  const call = { id, type: 'function', function: called };
  return [
    JSON.stringify({ role: 'assistant', content: null, tool_calls: [call] }),
    ...resultMessages([result], style),
  ];
}

/** The style in which results are written. */
interface ResultStyle {
  readonly loadMode: LoadMode;
  /** The tools of the request. Some found tools may be missing, because clients do remove tools. */
  readonly declared: DeclaredTools;
}

/**
 * Returns the messages of a round as JSON: the original assistant message, then one result for each of its
 * searches.
 */
function messagesOfRound(round: Round, style: ResultStyle): string[] {
  return [round.turn.message, ...resultMessages(keepResults(round), style)];
}

/** Returns the messages that answer searches. */
function resultMessages(results: readonly KeptResult[], style: ResultStyle): string[] {
  return results.map((result) =>
    JSON.stringify({ role: 'tool', tool_call_id: result.callId, content: contentOf(result, style) }),
  );
}

/**
 * Returns the content of a result. In swap and bridge mode it is text. In native mode it holds
 * references, which the server replaces with definitions, and one line of text.
 *
 * References have the name under both keys that servers read: `name` (vLLM, SGLang) and `tool_name` (Baseten,
 * as in Messages). They come first, because chat templates may determine the kind of result from its first
 * part.
 */
function contentOf(result: KeptResult, { loadMode, declared }: ResultStyle): string | readonly object[] {
  const text = declared.textOf(result);
  const names = result.names.filter((name) => declared.has(name));
  // A reference loads its tool.
  if (loadMode !== 'native' || names.length === 0 || result.kind === 'weak') return text;
  const references = names.map((name) => ({ type: 'tool_reference', name, tool_name: name }));
  const line = result.kind === 'found' ? [foundLine(names), ...declared.moreOf(result)].join('\n') : text;
  return [...references, { type: 'text', text: line }];
}
