import {
  changeMembers,
  type Edit,
  elementsOf,
  type JsonObject,
  type MemberChanges,
  memberSpan,
  type Span,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../json/json-splice.ts';
import { objectsIn } from './read-contents.ts';

/** Changes of a response, whole or one of a stream. Everything that is not named stays unchanged. */
export interface ResponseChanges {
  readonly root?: MemberChanges | undefined;
  readonly candidate?: MemberChanges | undefined;
  /** The parts of the first candidate, as JSON. */
  readonly parts?: readonly string[] | undefined;
}

/** Returns the text of a response with changes to its own members and to those of its first candidate. */
export function editResponse(text: string, { root = {}, candidate = {}, parts }: ResponseChanges): string {
  const rootSpan = valueSpan(text);
  const edits: Edit[] = changeMembers(text, rootSpan, root);
  const candidateSpan = candidateIn(text);
  if (candidateSpan === undefined) return splice(text, edits);
  edits.push(...changeMembers(text, candidateSpan, candidate));
  const content = memberSpan(text, candidateSpan.start, 'content');
  if (parts !== undefined && content !== undefined) {
    edits.push(...changeMembers(text, content, { parts: `[${parts.join(',')}]` }));
  }
  return splice(text, edits);
}

/** Returns the first candidate of a response; undefined when there is none. */
export function candidateOf({ candidates }: JsonObject): JsonObject | undefined {
  return objectsIn(candidates)[0];
}

/** Returns the original text of each part of the first candidate. */
export function partTexts(text: string): string[] {
  const candidate = candidateIn(text);
  const content = candidate && memberSpan(text, candidate.start, 'content');
  const parts = content && memberSpan(text, content.start, 'parts');
  return parts === undefined ? [] : elementsOf(text, parts.start).map((part) => textOf(text, part));
}

/** Returns the original JSON of a member of the outermost object. */
export function rawMember(text: string, key: string): string | undefined {
  const span = memberSpan(text, valueStart(text), key);
  return span && textOf(text, span);
}

function candidateIn(text: string): Span | undefined {
  const candidates = memberSpan(text, valueStart(text), 'candidates');
  return candidates && elementsOf(text, candidates.start).find(({ start }) => text[start] === '{');
}
