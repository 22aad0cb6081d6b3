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

/** What a response is to become, be it whole or one of a stream. Everything that is not named stays as it was. */
export interface ResponseChanges {
  readonly root?: MemberChanges | undefined;
  readonly candidate?: MemberChanges | undefined;
  /** The parts of the first candidate, as JSON. */
  readonly parts?: readonly string[] | undefined;
}

/** The text of a response with members of it and of its first candidate changed. */
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

/** The first candidate of a response; undefined where there is none. */
export function candidateOf({ candidates }: JsonObject): JsonObject | undefined {
  return objectsIn(candidates)[0];
}

/** Each part of the first candidate, as it stands in the text. */
export function partTexts(text: string): string[] {
  const candidate = candidateIn(text);
  const content = candidate && memberSpan(text, candidate.start, 'content');
  const parts = content && memberSpan(text, content.start, 'parts');
  return parts === undefined ? [] : elementsOf(text, parts.start).map((part) => textOf(text, part));
}

/** The JSON of a member of the outermost object, exactly as it stands there. */
export function rawMember(text: string, key: string): string | undefined {
  const span = memberSpan(text, valueStart(text), key);
  return span && textOf(text, span);
}

function candidateIn(text: string): Span | undefined {
  const candidates = memberSpan(text, valueStart(text), 'candidates');
  return candidates && elementsOf(text, candidates.start).find(({ start }) => text[start] === '{');
}
