import type { ExactCall } from '../format/view.ts';
import { parseObject } from '../json/json-members.ts';
import type { Bridge } from './bridge.ts';
import { aroundArguments } from './canonical-call.ts';

/** A call in a history. */
export interface HistoryCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** The arguments as JSON text; empty for none. */
  readonly arguments: string;
}

/**
 * Writes the calls of a history as the provider gets them: calls of bridged tools as calls of the bridge
 * tool, in the model's own form where it is known, otherwise in the canonical one.
 */
export class CallWriter {
  readonly #bridge: Bridge;
  /** Exact forms by id; undefined where calls of several forms share an id. */
  readonly #exact = new Map<string, ExactCall | undefined>();

  constructor(bridge: Bridge, exact: readonly ExactCall[]) {
    this.#bridge = bridge;
    for (const call of exact) {
      const known = this.#exact.get(call.id);
      const isFree = !this.#exact.has(call.id) || JSON.stringify(known) === JSON.stringify(call);
      this.#exact.set(call.id, isFree ? call : undefined);
    }
  }

  /** Returns the call as the provider gets it; undefined for a call that stays as it is. */
  write({ id, name, arguments: given }: HistoryCall): Omit<HistoryCall, 'id'> | undefined {
    const exact = this.#exactOf(name, id);
    if (exact === undefined ? !this.#bridge.isBridged(name) : exact.around === undefined) return undefined;
    const inner = given.trim() === '' ? '{}' : given;
    return { name: this.#bridge.toolName, arguments: writeArguments(name, inner, exact) };
  }

  /** Returns the name under which the provider knows the call that a result belongs to. */
  nameOf(name: string, id?: string): string {
    const exact = this.#exactOf(name, id);
    const isBridged = exact === undefined ? this.#bridge.isBridged(name) : exact.around !== undefined;
    return isBridged ? this.#bridge.toolName : name;
  }

  #exactOf(name: string, id: string | undefined): ExactCall | undefined {
    const exact = id === undefined ? undefined : this.#exact.get(id);
    return exact?.name === name ? exact : undefined;
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
