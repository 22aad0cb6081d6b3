import { parseJson } from '@winnow/core';
import type { ReadEvent } from '../joining/read-event.ts';
import { memberOf, memberTexts } from '../json/json-members.ts';
import { changeMembers, isJsonObject, splice, valueSpan } from '../json/json-splice.ts';

/** Reassembles a content block from its start and its deltas. */
export interface BlockAssembler {
  /** Whether any of the block's input arrived in deltas. */
  readonly hasInputDelta: boolean;
  /** Takes a `content_block_delta`. Unknown kinds are continued like the known ones. */
  add(event: ReadEvent): void;
  /** Returns the arguments received so far, as JSON text from the model, which may be invalid. */
  input(): string;
  /**
   * Returns the block as JSON. Members of its start keep their bytes; an input that is not an object becomes
   * `{}`.
   */
  finish(): string;
}

/** Returns an assembler for the block that starts with this `content_block`, given as JSON. */
export function assembleBlock(start: string): BlockAssembler {
  const pieces = new Map<string, string[]>();
  const values = new Map<string, string>();
  const citations: string[] = [];
  const partialInput = (): string => pieces.get('partial_json')?.join('') ?? '';
  const input = (): string => partialInput() || (memberOf(start, 'input') ?? '');

  const addMember = (key: string, value: unknown, event: ReadEvent): void => {
    // A signature arrives in one piece; every other text member is continued.
    if (typeof value === 'string' && key !== 'signature') appendTo(pieces, key, value);
    else if (key === 'citation') citations.push(deltaMember(event, key));
    else values.set(key, deltaMember(event, key));
  };

  const finalMembers = (): Map<string, string> => {
    const members = new Map([...pieces].map(([key, parts]) => [key, continueText(start, key, parts)]));
    if (members.delete('partial_json')) members.set('input', isObject(input()) ? input() : '{}');
    if (citations.length > 0)
      members.set('citations', `[${[...memberTexts(start, 'citations'), ...citations].join(',')}]`);
    return new Map([...members, ...values]);
  };

  return {
    get hasInputDelta() {
      return partialInput() !== '';
    },
    add(event) {
      const { delta } = event.body;
      if (!isJsonObject(delta)) return;
      for (const [key, value] of Object.entries(delta)) if (key !== 'type') addMember(key, value, event);
    },
    input,
    finish() {
      const block = valueSpan(start);
      // A value that is not a block stays unchanged.
      if (start[block.start] !== '{') return start;
      return splice(start, changeMembers(start, block, Object.fromEntries(finalMembers())));
    },
  };
}

/** Returns a member of the event's delta in its original bytes. */
function deltaMember({ data }: ReadEvent, key: string): string {
  return memberOf(memberOf(data, 'delta')!, key)!;
}

function appendTo(strings: Map<string, string[]>, key: string, piece: string): void {
  const pieces = strings.get(key);
  if (pieces === undefined) strings.set(key, [piece]);
  else pieces.push(piece);
}

function continueText(start: string, key: string, pieces: readonly string[]): string {
  const beginning: unknown = JSON.parse(memberOf(start, key) ?? '""');
  return JSON.stringify((typeof beginning === 'string' ? beginning : '') + pieces.join(''));
}

function isObject(text: string): boolean {
  return isJsonObject(parseJson(text));
}
