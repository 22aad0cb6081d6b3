import { isJsonObject, type JsonObject, objectsIn } from '../json/json-splice.ts';
import { fieldOf, keyOf } from './field-of.ts';

/** The deepest nesting of a place: deeper values could not be written. */
const MAX_STEPS = 100;

/**
 * Assembles the arguments of a call that arrive in pieces, each a value and its place.
 *
 * The pieces of a text are joined; pieces that are not understood are left out. Source:
 * https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
export class CallArguments {
  readonly #root: Record<string, unknown> = {};
  /** Places whose text continues in the next piece. */
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
    const value = givenValue(piece);
    if (steps === undefined || value === undefined) return;
    const goesOn = this.#open.has(place as string);
    setAt(this.#root, steps, (before) => (goesOn ? `${before}${value}` : value));
    if (fieldOf(piece, 'willContinue') === true) this.#open.add(place as string);
    else this.#open.delete(place as string);
  }
}

const VALUE_TYPES = { stringValue: 'string', numberValue: 'number', boolValue: 'boolean' } as const;

/** Returns the value of a piece; undefined when no member has the right type. */
function givenValue(piece: JsonObject): string | number | boolean | null | undefined {
  for (const [key, type] of Object.entries(VALUE_TYPES)) {
    if (!(keyOf(piece, key) in piece)) continue;
    const value = fieldOf(piece, key);
    return typeof value === type ? (value as string | number | boolean) : undefined;
  }
  return keyOf(piece, 'nullValue') in piece ? null : undefined;
}

type Step = string | number;

/**
 * Returns the steps of a path such as `$.steps[0].name` or `$['a b']`; undefined for a path that does not
 * name a single value.
 */
function stepsOf(path: string): Step[] | undefined {
  const steps = [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted!) : Number(index),
  );
  const isWhole = path.replaceAll(STEP, '') === '$';
  const isDeep = steps.length === 0 || steps.length > MAX_STEPS;
  return isWhole && !isDeep && !steps.includes('__proto__') ? steps : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g;

/**
 * Sets the value at a place and creates the objects and lists on the way. Lists grow by one element at a
 * time: a place far beyond the end would fill memory with empty elements.
 */
function setAt(root: Record<string, unknown>, steps: readonly Step[], change: (before: unknown) => unknown) {
  let target = root as Record<Step, unknown>;
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(target) !== (typeof step === 'number')) return;
    if (Array.isArray(target) && (step as number) > target.length) return;
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
