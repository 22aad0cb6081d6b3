import type { Round } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { writeForm } from '../turns/visible-form.ts';
import { callOf, callsOf, isOfModel, partsOf, responseOf, signatureOf } from './read-contents.ts';
import { partsOfTurn } from './read-request.ts';

/** The turns of `generateContent`: adjacent contents of the model. */
export const turns = rememberTurns({
  format: 'gemini',
  shownIn: (rounds) => {
    const parts = rounds.flatMap(shownParts);
    return {
      callIds: callsOf(parts).map(({ key }) => key),
      signatures: signaturesOf(parts),
      said: saidByModel(parts),
      visible: visibleForm(parts),
    };
  },
  saidIn:
    ({ history }) =>
    (position) => {
      const content = history[position];
      if (!isJsonObject(content)) return undefined;
      if (!isOfModel(content)) return `user:${partsOf(content).map(saidInPart).join()}`;
      // A turn counts once, at its beginning.
      return isOfModel(history[position - 1]) ? undefined : saidByModel(partsOfTurn(history, position));
    },
  marksAt: ({ history, turns: visible }, index) => ({
    signatures: signaturesOf(partsOfTurn(history, visible[index]!.position)),
  }),
  fit: ({ history, turns: visible }, index, hidden) =>
    visibleForm(partsOfTurn(history, visible[index]!.position)) === hidden.visible ? hidden : undefined,
});

function shownParts({ turn: { message, searches } }: Round): JsonObject[] {
  const parts = partsOf(JSON.parse(message));
  const hidden = new Set(searches.map(({ id }) => id));
  const isHidden = new Set(callsOf(parts).flatMap(({ key, call }) => (hidden.has(key) ? [call] : [])));
  return parts.filter((part) => !isHidden.has(callOf(part) ?? part));
}

function signaturesOf(parts: readonly JsonObject[]): string[] {
  return parts.flatMap((part) => signatureOf(part) ?? []);
}

function saidByModel(parts: readonly JsonObject[]): string {
  return `model:${visibleForm(parts)}`;
}

/**
 * Returns the text that identifies a part of the client's. Function results count: conversations that differ
 * only in them are different.
 */
function saidInPart(part: JsonObject): string {
  const response = responseOf(part);
  if (response !== undefined) return JSON.stringify([response.name, response.response]);
  return typeof part.text === 'string' ? part.text : visibleForm([part]);
}

const UNCOUNTED: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/**
 * Returns the normal form of a turn, which is the same for all the ways in which clients send it back.
 *
 * The form ignores thoughts, which many clients leave out, signatures, ids of calls, white space, and the
 * division of texts into parts and of parts into contents. Everything else counts, because a client's
 * deliberate changes must stay. Empty when the turn has no content.
 */
function visibleForm(parts: readonly JsonObject[]): string {
  return writeForm(parts.filter(({ thought }) => thought !== true).map(meaningOf), UNCOUNTED);
}

function meaningOf(part: JsonObject): string | object {
  const call = callOf(part);
  if (call !== undefined) return ['call', call.name, call.args ?? {}];
  return typeof part.text === 'string' ? part.text : part;
}
