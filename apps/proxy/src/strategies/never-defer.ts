import type { LoadMode, RequestView } from '@winnow/wire';

/** What decides beside the request itself. */
export interface DeferralRules {
  /** What `deferrableNames` gives. */
  readonly deferrable: readonly string[];
  /** Names that the session has loaded, in load order. */
  readonly loaded: readonly string[];
  readonly loadMode: LoadMode;
}

/**
 * Names that a tool's own nature allows to defer, in the client's order, each once: plain functions that nobody asked to keep. The same
 * on every turn of a conversation, as long as the client sends the same tools.
 */
export function deferrableNames(view: RequestView, alwaysKeep: readonly string[]): string[] {
  const kept = new Set(alwaysKeep);
  for (const tool of view.tools) {
    // Entries of one name stay together, so one that must stay keeps the others.
    if (tool.name !== undefined && (tool.kind === 'other' || tool.isCacheMarked || isOverlong(tool.name))) {
      kept.add(tool.name);
    }
  }
  const names = view.tools.flatMap(({ name }) => (name === undefined || kept.has(name) ? [] : name));
  return [...new Set(names)];
}

/** No provider takes names of more than 128 characters. A longer one is the upstream's to judge, and would swell the search tool. */
const MAX_NAME_CHARS = 256;

function isOverlong(name: string): boolean {
  return name.length > MAX_NAME_CHARS;
}

/**
 * Names to defer on this turn, in the client's order, the loaded ones included.
 *
 * A tool that the visible history calls, or that `tool_choice` names, is kept at its place unless the session has loaded it: a loaded
 * tool is visible anyway and stays where it was appended, so that the bytes before it do not change.
 */
export function namesToDefer(view: RequestView, { deferrable, loaded, loadMode }: DeferralRules): string[] {
  const isLoaded = new Set(loaded);
  const isNamed = new Set(view.toolChoice.names);
  return deferrable.filter((name) => {
    // A tool that must be called has to be a plain one where deferred ones are only marked.
    if (isNamed.has(name) && (loadMode === 'native' || !isLoaded.has(name))) return false;
    return isLoaded.has(name) || !view.calledNames.has(name);
  });
}
