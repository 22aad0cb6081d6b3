import type { ToolReading } from '../format/capabilities.ts';
import type { ExactCall } from '../format/view.ts';
import { parseObject } from '../json/json-members.ts';
import type { Bridge } from './bridge.ts';
import type { CallEvent, CallEvents } from './call-events.ts';

export interface HistoryCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** The arguments as JSON text; empty for none. */
  readonly arguments: string;
}

/** A call in a history whose result may follow. */
interface OpenCall {
  readonly id: string | undefined;
  readonly name: string;
  /** Its name for the provider. */
  readonly written: string;
}

/**
 * Writes the calls of a history as the provider gets them: calls of bridged tools as calls of the bridge
 * tool, in the model's own form where it is known, otherwise in the canonical one.
 *
 * Contract: takes the calls and results of a turn in order, and each turn from its beginning.
 */
export class CallWriter {
  readonly #bridge: Bridge;
  #exact: readonly ExactCall[] = [];
  /** The number of calls in this turn so far. */
  #count = 0;
  #open: OpenCall[] = [];

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** Begins a turn of the model, in which calls have these forms. */
  beginTurn(exact: readonly ExactCall[]): void {
    this.#exact = exact;
    this.#count = 0;
    this.#open = [];
  }

  /** Returns the call as the provider gets it; undefined for a call that stays as it is. */
  write({ id, name, arguments: given }: HistoryCall): Omit<HistoryCall, 'id'> | undefined {
    const { toolName } = this.#bridge;
    if (this.#bridge.isOwn(name)) return undefined;
    const at = this.#count;
    this.#count += 1;
    const exact = this.#exact.find((call) => call.at === at && call.name === name);
    const stays = exact === undefined ? !this.#bridge.isBridged(name) : exact.around === undefined;
    this.#open.push({ id, name, written: stays ? name : toolName });
    if (stays) return undefined;
    const inner = given.trim() === '' ? '{}' : given;
    return { name: toolName, arguments: writeArguments(name, inner, exact) };
  }

  /**
   * Returns the name under which the provider knows the call that a result belongs to: by its id, or without
   * one, the first call of that name without a result.
   */
  nameOf(name: string, id?: string): string {
    const isMeant = (call: OpenCall) =>
      call.name === name && (id === undefined || call.id === undefined || call.id === id);
    const at = this.#open.findIndex(isMeant);
    if (at !== -1) return this.#open.splice(at, 1)[0]!.written;
    return this.#bridge.isBridged(name) ? this.#bridge.toolName : name;
  }
}

function writeArguments(name: string, inner: string, exact: ExactCall | undefined): string {
  // A client may send back other text than JSON where the model was cut off.
  const isObject = parseObject(inner) !== undefined;
  const value = isObject && exact?.inner !== 'text' ? inner : JSON.stringify(inner);
  const isFitting = exact?.inner !== 'none' || /^\s*\{\s*\}\s*$/.test(inner);
  const [before, after] = (isFitting ? exact?.around : undefined) ?? aroundArguments(name, inner);
  return exact?.inner === 'none' && isFitting ? before + after : before + value + after;
}

/** The start of the inner arguments that determines the white space around them, in characters. */
const STYLE_CHARS = 256;

/**
 * Returns the text around the inner arguments of a bridge call in its canonical form: the name first, with
 * the white space of the arguments, because models have one style. `inner` is their JSON text, or at least
 * its beginning.
 */
export function aroundArguments(name: string, inner: string): readonly [before: string, after: string] {
  const gap = /^\{\s*"(?:[^"\\]|\\.)*":\s/.test(inner.slice(0, STYLE_CHARS)) ? ' ' : '';
  return [`{"name":${gap}${JSON.stringify(name)},${gap}"arguments":${gap}`, '}'];
}

/**
 * The parts of a format that differ in bridge mode.
 *
 * Contract: pure and synchronous, like the format. Nothing throws.
 */
export interface BridgeDialect extends ToolReading {
  /** Returns the reader of one response. A bridge call may be told when it is complete. */
  readCalls(bridge: Pick<Bridge, 'toolName' | 'section'>): CallEvents;
  /** A text that every event with a call contains, so that others need not be read. */
  readonly mark?: string;
  /** Returns the text in which an event's calls stand; the event's own text without this function. */
  textOf?(event: CallEvent): string;
  /**
   * Returns an element of the history with its calls, and the names in its results, as the provider gets
   * them; the same string when nothing changes. `element` is the parsed text.
   */
  writeElement(text: string, element: unknown, calls: CallWriter): string;
}
