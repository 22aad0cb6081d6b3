import type { SearchCall, ToolCall } from '../format/view.ts';
import type { RoundMemory } from '../joining/round-memory.ts';
import { changeMembers, isJsonObject, type JsonObject, splice, textOrNone } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { CallTracker, TrackedCall } from './call-tracker.ts';
import { mergeDelta } from './merge-delta.ts';
import { calledArguments, calledName } from './read-message.ts';

/** A call that is being collected. */
class CollectedCall extends TrackedCall {
  /** All fields so far except the name. */
  fields: JsonObject = {};
  /** The id that the client sees: the upstream's as soon as there is one, otherwise a made-up one. */
  id: string | undefined;
  /** The kind of call; `undecided` while its name could still become either the search tool's or another. */
  kind: 'undecided' | 'real' | 'search' = 'undecided';
  /** The parts received while it was undecided, as JSON. */
  held: string[] = [];
  /** Its position among the real calls. */
  index = -1;
  /** Whether the client has its id. */
  hasGivenId = false;
}

/**
 * Collects the calls of one response from their parts, and selects the parts for the client. Real calls are
 * renumbered from 0, each under one id.
 *
 * Contract: for one response. Parts of calls whose name is not the search tool's pass at once. The held
 * content is limited to the name and one part, because arguments settle the name.
 */
export class CallCollector {
  readonly #hidden: HiddenNames;
  readonly #makeId: (ordinal: number) => string;
  readonly #tracker = new CallTracker((ordinal) => this.#begin(ordinal));
  /** The undecided calls: at most one, or two while another begins. */
  readonly #undecided = new Set<CollectedCall>();
  #realCount = 0;
  #searchCount = 0;
  readonly #memory: RoundMemory;

  /** `makeId` makes an id for the call at a position, for servers that send none. */
  constructor(hidden: HiddenNames, makeId: (ordinal: number) => string, memory: RoundMemory) {
    this.#hidden = hidden;
    this.#makeId = makeId;
    this.#memory = memory;
  }

  /** Whether the model has searched, as far as is known. */
  get hasSearches(): boolean {
    if (this.#searchCount > 0 || this.#undecided.size === 0) return this.#searchCount > 0;
    return [...this.#undecided].some(({ name }) => name !== '');
  }

  /** Calls for the client, in order. */
  get realCalls(): ToolCall[] {
    return this.#tracker.calls
      .filter(({ kind }) => kind === 'real')
      .map(({ id, name }) => ({ id: id!, name }));
  }

  /** Calls of the search tool, in order. */
  get searches(): SearchCall[] {
    return this.#tracker.calls
      .filter(({ kind }) => kind === 'search')
      .map(({ id, name, fields }) => this.#hidden.readCall({ id: id!, name }, calledArguments(fields)));
  }

  /** Takes one part; returns the parts, as JSON, that can go to the client. `text` is the part's own JSON. */
  take(part: JsonObject, text: string): string[] {
    const call = this.#tracker.callOf(part);
    const before = call === this.#tracker.calls.at(-1) ? this.#settleBefore(call) : [];
    // Without memory, calls still pass, but can no longer be written whole.
    if (!this.#memory.isShort || call.kind === 'undecided') this.#add(call, part);
    if (call.kind === 'search') return before;
    if (call.kind === 'real') return [...before, this.#writePart(call, part, text)];
    call.held.push(text);
    call.kind = this.#decide(call);
    return [...before, ...this.#release(call)];
  }

  #add(call: CollectedCall, part: JsonObject): void {
    addPart(call, part);
    if (call.id !== undefined) this.#tracker.noteId(call, call.id);
  }

  /** Decides undecided calls, because no more parts follow; returns the parts that can go to the client. */
  settle(): string[] {
    return this.#settleBefore(undefined);
  }

  /** Returns the calls as a message holds them: complete, with ids, and with arguments as text. */
  writeCalls({ withSearches }: { withSearches: boolean }): JsonObject[] {
    return this.#tracker.calls.filter(({ kind }) => withSearches || kind !== 'search').map(writeCall);
  }

  #begin(ordinal: number): CollectedCall {
    this.#memory.begin();
    const call = new CollectedCall(ordinal);
    this.#undecided.add(call);
    return call;
  }

  /**
   * Decides the calls before one that begins. Their names are complete, because parts of several names never
   * alternate.
   */
  #settleBefore(current: CollectedCall | undefined): string[] {
    return [...this.#undecided].flatMap((call) => {
      if (call === current) return [];
      call.kind = this.#kindOf(call);
      return this.#release(call);
    });
  }

  #decide(call: CollectedCall): CollectedCall['kind'] {
    if (!this.#hidden.mayBegin(call.name)) return 'real';
    return call.hasArguments ? this.#kindOf(call) : 'undecided';
  }

  /** Returns the kind of a call whose name is complete; a search gets the name of the search tool. */
  #kindOf(call: CollectedCall): 'search' | 'real' {
    const meant = this.#hidden.meantBy(call.name);
    call.name = meant ?? call.name;
    return meant === undefined ? 'real' : 'search';
  }

  /** Numbers a call that has just been decided, and releases its held parts. */
  #release(call: CollectedCall): string[] {
    if (call.kind === 'undecided') return [];
    this.#undecided.delete(call);
    call.id ??= this.#makeId(call.ordinal);
    this.#tracker.noteId(call, call.id);
    const { held } = call;
    call.held = [];
    if (call.kind === 'search') {
      this.#searchCount += 1;
      return [];
    }
    call.index = this.#realCount++;
    const [text = ''] = held;
    // Clients take the name from one part only, so several held parts become one.
    if (held.length > 1) {
      call.hasGivenId = true;
      return [JSON.stringify({ index: call.index, ...writeParts(call) })];
    }
    return [this.#writePart(call, JSON.parse(text) as JsonObject, text)];
  }

  #writePart(call: CollectedCall, part: JsonObject, text: string): string {
    const { index, id } = call;
    const hasId = textOrNone(part.id) !== undefined;
    // Some clients join the ids of all parts, so a missing id is added only once, next to the name.
    const hasOtherId = hasId ? part.id !== id : calledName(part) !== '' && !call.hasGivenId;
    call.hasGivenId ||= hasId || hasOtherId;
    const changes = {
      ...(part.index !== index && { index: String(index) }),
      ...(hasOtherId && { id: JSON.stringify(id) }),
    };
    return splice(text, changeMembers(text, { start: 0, end: text.length }, changes));
  }
}

function addPart(call: CollectedCall, part: JsonObject): void {
  call.addPart(part);
  const { index, ...fields } = part;
  call.fields = mergeDelta(call.fields, fields);
  if (call.kind === 'undecided') call.id = textOrNone(call.fields.id);
}

/** Returns the received parts of a call, with its id and whole name. */
function writeParts({ fields, id, name }: CollectedCall): JsonObject {
  const called = isJsonObject(fields.custom) ? 'custom' : 'function';
  return { ...fields, id, [called]: { ...(fields[called] as JsonObject | undefined), name } };
}

/** Returns a call to send back. Providers accept arguments only as text, whatever they send. */
function writeCall(call: CollectedCall): JsonObject {
  const { id, type = 'function', ...fields } = writeParts(call);
  if (!isJsonObject(fields.function)) return { id, type, ...fields };
  const given = calledArguments(fields) ?? '';
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return { id, type, ...fields, function: { ...fields.function, arguments: text } };
}
