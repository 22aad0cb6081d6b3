import type { ExactCall } from '../format/view.ts';
import { parseObject } from '../json/json-members.ts';
import type { Bridge } from './bridge.ts';
import { aroundArguments } from './canonical-call.ts';

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
