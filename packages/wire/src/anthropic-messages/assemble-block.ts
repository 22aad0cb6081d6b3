import { parseJson } from '@winnow/text';
import {
  changeMembers,
  elementsOf,
  isJsonObject,
  memberSpan,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '../json/json-splice.ts';
import { memberOf, type ResponseEvent } from './response-events.ts';

/** Puts a content block together again from its start and its deltas. */
export interface BlockAssembler {
  /** Whether the block's input has come in deltas. */
  readonly hasInputDelta: boolean;
  /** Takes a `content_block_delta`. Kinds of a later year are continued as those of today are. */
  add(event: ResponseEvent): void;
  /** The arguments as far as they have come, as JSON of the model's own making, which may be no JSON at all. */
  input(): string;
  /** The block as JSON. What came in its start stays byte for byte; an input that is no JSON becomes an empty one. */
  finish(): string;
}

/** An assembler for the block that begins with this `content_block`, given as JSON. */
export function assembleBlock(start: string): BlockAssembler {
  const pieces = new Map<string, string[]>();
  const values = new Map<string, string>();
  const citations: string[] = [];
  const partialInput = (): string => pieces.get('partial_json')?.join('') ?? '';
  const input = (): string => partialInput() || (memberOf(start, 'input') ?? '');

  const addMember = (key: string, value: unknown, event: ResponseEvent): void => {
    // A signature comes in one piece; everything else that is text is continued.
    if (typeof value === 'string' && key !== 'signature') appendTo(pieces, key, value);
    else if (key === 'citation') citations.push(deltaMember(event, key));
    else values.set(key, deltaMember(event, key));
  };

  const finalMembers = (): Map<string, string> => {
    const members = new Map([...pieces].map(([key, parts]) => [key, continueText(start, key, parts)]));
    if (members.delete('partial_json')) members.set('input', isObject(input()) ? input() : '{}');
    if (citations.length > 0)
      members.set('citations', `[${[...citationsOf(start), ...citations].join(',')}]`);
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
      // What is no block stays what it is.
      if (start[block.start] !== '{') return start;
      return splice(start, changeMembers(start, block, Object.fromEntries(finalMembers())));
    },
  };
}

/** A member of the event's delta in its own bytes. */
function deltaMember({ data }: ResponseEvent, key: string): string {
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

function citationsOf(start: string): string[] {
  const span = memberSpan(start, valueStart(start), 'citations');
  return span === undefined ? [] : elementsOf(start, span.start).map((element) => textOf(start, element));
}

function isObject(text: string): boolean {
  return isJsonObject(parseJson(text));
}
