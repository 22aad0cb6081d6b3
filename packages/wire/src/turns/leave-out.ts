import type { LoadRules } from '../format/load-rules.ts';
import type { Past } from '../format/request-parts.ts';
import type { HiddenTurn, Round } from '../format/view.ts';
import { parseJson } from '../json/json-value.ts';

/** An error response that may refuse an edit. */
export interface ReadRefusal {
  readonly status: number;
  readonly text: string;
}

/**
 * Returns the edits of a request that a refusal speaks of, the most likely first: those that the format lists, and
 * members of hidden messages, as `.name`. Servers refuse members that they have sent themselves.
 */
export function editsSpokenOf(
  { edits = [] }: LoadRules,
  refusal: ReadRefusal,
  past: Past,
): readonly string[] {
  const { status, text } = refusal;
  const listed = edits.filter(({ statuses, words }) => statuses.includes(status) && words.test(text));
  const mayBeMember = MEMBER_STATUSES.has(status) && REFUSING.test(text);
  const words = new Set(mayBeMember ? text.match(/\w+/g) : []);
  const members = words.size === 0 ? [] : [...memberNames(past)].filter((name) => words.has(name));
  return [...listed.map(({ name }) => name), ...members.map((name) => `.${name}`)];
}

const MEMBER_STATUSES: ReadonlySet<number> = new Set([400, 422]);

/** Words by which servers refuse a member; to demand one, they have others. */
const REFUSING =
  /unknown|unsupported|not support|unrecogni[sz]ed|unexpected|extra|additional|not (?:permitted|allowed)|forbid/i;

/** Members without which a message or a call means nothing, in any format. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  ...['role', 'content', 'type', 'text', 'parts', 'name', 'id', 'message'],
  ...[
    'tool_calls',
    'function',
    'arguments',
    'call_id',
    'input',
    'functionCall',
    'args',
    'toolUse',
    'toolUseId',
  ],
]);

/** Members that hold what programs wrote. */
const DATA: ReadonlySet<string> = new Set(['arguments', 'input', 'args', 'output']);

function memberNames({ hiddenTurns, rounds }: Past): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value instanceof Object) {
      for (const [key, member] of Object.entries(value)) {
        if (!ESSENTIAL.has(key)) names.add(key);
        if (!DATA.has(key)) visit(member);
      }
    }
  };
  for (const text of messagesOf(hiddenTurns, rounds)) visit(parseJson(text));
  return names;
}

function messagesOf(hiddenTurns: readonly HiddenTurn[], rounds: readonly Round[]): readonly string[] {
  const restored = hiddenTurns.flatMap(({ before, message }) => [...before, message]);
  return [...restored, ...rounds.map(({ turn }) => turn.message)];
}

/** Returns the past without the members of hidden messages that the upstream refuses. */
export function leaveOut(past: Past): Past {
  const names = new Set([...(past.without ?? [])].flatMap((edit) => (edit[0] === '.' ? edit.slice(1) : [])));
  if (names.size === 0) return past;
  const left = (text: string) => {
    const value = parseJson(text);
    return value instanceof Object ? JSON.stringify(withoutNames(value, names)) : text;
  };
  return {
    ...past,
    hiddenTurns: past.hiddenTurns.map((hidden) => ({
      ...hidden,
      before: hidden.before.map(left),
      message: left(hidden.message),
    })),
    rounds: past.rounds.map(({ turn, results }) => ({
      turn: { ...turn, message: left(turn.message) },
      results,
    })),
  };
}

function withoutNames(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutNames(one, names));
  if (!(value instanceof Object)) return value;
  const kept = Object.entries(value).filter(([key]) => !names.has(key));
  return Object.fromEntries(
    kept.map(([key, member]) => [key, DATA.has(key) ? member : withoutNames(member, names)]),
  );
}
