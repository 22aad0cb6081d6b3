import { isJsonObject, type JsonObject } from '../json-splice.ts';
import { fieldOf, keyOf } from './field-of.ts';
import { objectsIn } from './read-contents.ts';

/** The most elements that a list of arguments may have: a place far behind the end would fill memory with nothing. */
const MAX_ELEMENTS = 10_000;

/**
 * Puts the arguments of a call together that come in pieces, each a value with the place that it belongs to.
 *
 * Texts come in several pieces, which are joined; what a piece says that is not understood is left out.
 * Source: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
export class CallArguments {
  readonly #root: Record<string, unknown> = {};
  /** Places whose text goes on. */
  readonly #open = new Set<string>();

  /** Takes the `partialArgs` of one part. */
  take(pieces: unknown): void {
    for (const piece of objectsIn(pieces)) this.#takePiece(piece);
  }

  get value(): JsonObject {
    return this.#root;
  }

  #takePiece(piece: JsonObject): void {
    const place = fieldOf(piece, 'jsonPath');
    const steps = typeof place === 'string' ? stepsOf(place) : undefined;
    const key = VALUE_KEYS.find((one) => keyOf(piece, one) in piece);
    if (steps === undefined || key === undefined) return;
    const value = key === 'nullValue' ? null : fieldOf(piece, key);
    const goesOn = this.#open.has(place as string);
    setAt(this.#root, steps, (before) => (goesOn ? `${before}${value}` : value));
    if (fieldOf(piece, 'willContinue') === true) this.#open.add(place as string);
    else this.#open.delete(place as string);
  }
}

const VALUE_KEYS = ['stringValue', 'numberValue', 'boolValue', 'nullValue'];

type Step = string | number;

/** The steps of a path such as `$.steps[0].name` or `$['a b']`; undefined for what is none of one value. */
function stepsOf(path: string): Step[] | undefined {
  const steps = [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted!) : Number(index),
  );
  const isWhole = path.replaceAll(STEP, '') === '$';
  const isSafe = steps.every((step) => typeof step === 'string' || step < MAX_ELEMENTS);
  return isWhole && isSafe && steps.length > 0 && !steps.includes('__proto__') ? steps : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g;

/** Sets the value at a place, and makes the objects and lists on the way there. */
function setAt(root: Record<string, unknown>, steps: readonly Step[], change: (before: unknown) => unknown) {
  let target = root as Record<Step, unknown>;
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(target) !== (typeof step === 'number')) return;
    const next = steps[at + 1];
    if (next === undefined) {
      target[step] = change(target[step]);
      return;
    }
    const present = target[step];
    const isThere = typeof next === 'number' ? Array.isArray(present) : isJsonObject(present);
    if (!isThere) target[step] = typeof next === 'number' ? [] : {};
    target = target[step] as Record<Step, unknown>;
  }
}
