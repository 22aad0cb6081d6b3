import { canonicalJson, isJsonObject, type JsonObject } from './canonical-json.ts';
import { decodePercent, memberAt, pointerKeys } from './json-pointer.ts';

const VALIDATION_LIMITS = {
  /** Largest value, as JSON in UTF-8. */
  maxBytes: 64 * 1024,
  /** Deepest nesting of a value. */
  maxDepth: 32,
  /** Schemas applied to values, counting repeated visits. */
  maxVisits: 10_000,
  /** Work other than visits, in compared characters and iterated members: some tenths of a second. */
  maxCost: 4_000_000,
  /** Nested schemas; ends reference loops that consume no value. */
  maxNesting: 256,
  /** Most reported errors. */
  maxErrors: 20,
} as const;

/** The result of validating a value against a schema. */
export type Validation =
  | { readonly result: 'valid'; readonly notes: readonly 'pattern_not_checked'[] }
  | { readonly result: 'invalid'; readonly errors: readonly ValidationError[] }
  /** No result: the schema refers to another document, or is too expensive to check. */
  | { readonly result: 'unchecked'; readonly reason: 'external_ref' | 'schema_too_complex' };

/**
 * Validates a value against a JSON Schema by interpretation: generates no code, fetches nothing, and leaves the schema
 * unchanged.
 *
 * `$schema` selects the dialect: 2020-12 by default, or draft-07. A pattern that `compilePattern` does not accept is
 * skipped and reported in `notes`. `format` is an annotation, the default of both dialects. VALIDATION_LIMITS bound the
 * value and the work, so both may be hostile.
 *
 * Sources: https://json-schema.org/draft/2020-12, https://json-schema.org/draft-07
 */
export function validateJson(schema: unknown, value: unknown, compilePattern: CompilePattern): Validation {
  const tooLarge = findSizeError(value);
  if (tooLarge !== undefined) return { result: 'invalid', errors: [{ path: '', message: tooLarge }] };
  const walk = new SchemaWalk(schema, compilePattern);
  walk.check(value);
  if (walk.stopped !== undefined) return { result: 'unchecked', reason: walk.stopped };
  if (walk.errors.length > 0) return { result: 'invalid', errors: walk.errors };
  return { result: 'valid', notes: walk.hasUncheckedPattern ? ['pattern_not_checked'] : [] };
}

/** Returns the limit that a value exceeds, as a message; undefined for a value that can be validated. */
export function findSizeError(value: unknown): string | undefined {
  const { maxDepth, maxBytes } = VALIDATION_LIMITS;
  // Checked first, because JSON.stringify recurses.
  if (isDeeperThan(value, maxDepth)) return `must not be nested deeper than ${maxDepth}`;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes > maxBytes ? `must not be larger than ${maxBytes} bytes` : undefined;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (!Array.isArray(value) && !isJsonObject(value)) return false;
  if (depth <= 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}

/** A value that its schema rejects. */
export interface ValidationError {
  /** JSON Pointer into the value (RFC 6901); empty for the whole. */
  readonly path: string;
  /** The violated constraint. */
  readonly message: string;
}

/** The position of a value, with the findings so far. */
interface Place {
  /** JSON Pointer. */
  readonly path: string;
  /** Members that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
  readonly seen: Set<string>;
  /** Receives errors; an optional branch has a list of its own. */
  readonly errors: ValidationError[];
  readonly nesting: number;
}

type JsonArray = readonly unknown[];

/** Returns the test of a pattern; undefined for a pattern that is not to be checked. */
type CompilePattern = (pattern: string) => ((text: string) => boolean) | undefined;

/** Checks one value against one schema. Single use. */
class SchemaWalk {
  readonly errors: ValidationError[] = [];
  hasUncheckedPattern = false;
  /** The reason that the check was stopped without a result. */
  stopped: 'external_ref' | 'schema_too_complex' | undefined;
  readonly #root: unknown;
  readonly #compilePattern: CompilePattern;
  readonly #references: SchemaReferences;
  readonly #isDraft7: boolean;
  readonly #patterns = new Map<string, ((text: string) => boolean) | undefined>();
  readonly #enums = new Map<object, ReadonlySet<string>>();
  readonly #repetitions = new Map<JsonArray, boolean>();
  #visits = 0;
  #cost = 0;

  constructor(root: unknown, compilePattern: CompilePattern) {
    this.#root = root;
    this.#compilePattern = compilePattern;
    this.#references = new SchemaReferences(root);
    this.#isDraft7 = isJsonObject(root) && String(root.$schema ?? '').includes('draft-07');
  }

  check(value: unknown): void {
    this.#visit(this.#root, value, { path: '', seen: new Set(), errors: this.errors, nesting: 0 });
  }

  /** Whether the value matches; adds an error to the place otherwise. */
  #visit(schema: unknown, value: unknown, place: Place): boolean {
    if (this.stopped !== undefined) return true;
    this.#visits++;
    if (this.#visits > VALIDATION_LIMITS.maxVisits || place.nesting > VALIDATION_LIMITS.maxNesting) {
      this.stopped = 'schema_too_complex';
      return true;
    }
    if (schema === false) return this.#fail(place, 'is not allowed');
    if (!isJsonObject(schema)) return true;
    const inner: Place = { ...place, nesting: place.nesting + 1 };
    if (this.#isDraft7 && typeof schema.$ref === 'string')
      return this.#visitReference(schema.$ref, value, inner);
    // All groups are checked, to report all errors; unevaluated members come last, as they depend on the others.
    return [
      this.#checkReferences(schema, value, inner),
      this.#checkValue(schema, value, inner),
      typeof value !== 'string' || this.#checkText(schema, value, inner),
      !Array.isArray(value) || this.#checkArray(schema, value, inner),
      !isJsonObject(value) || this.#checkObject(schema, value, inner),
      this.#checkBranches(schema, value, inner),
      this.#checkUnevaluated(schema, value, inner),
    ].every(Boolean);
  }

  /** Counts work other than visits: compared characters and iterated members. */
  #spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > VALIDATION_LIMITS.maxCost) this.stopped = 'schema_too_complex';
  }

  #canonical(value: unknown): string {
    const text = canonicalJson(value);
    this.#spend(text.length);
    return text;
  }

  #isIn(allowed: JsonArray, value: unknown): boolean {
    let texts = this.#enums.get(allowed);
    if (texts === undefined) {
      texts = new Set(allowed.map((one) => this.#canonical(one)));
      this.#enums.set(allowed, texts);
    }
    return texts.has(this.#canonical(value));
  }

  #fail({ path, errors }: Place, message: string): false {
    if (errors.length < VALIDATION_LIMITS.maxErrors) errors.push({ path, message });
    return false;
  }

  #checkReferences(schema: JsonObject, value: unknown, place: Place): boolean {
    return ['$ref', '$dynamicRef'].every((keyword) => {
      const reference = schema[keyword];
      return typeof reference !== 'string' || this.#visitReference(reference, value, place);
    });
  }

  #visitReference(reference: string, value: unknown, place: Place): boolean {
    const target = this.#references.resolve(reference);
    if (target !== undefined) return this.#visit(target.schema, value, place);
    this.stopped = 'external_ref';
    return true;
  }

  #checkValue(schema: JsonObject, value: unknown, place: Place): boolean {
    const { type, enum: allowed } = schema;
    if (type !== undefined && !matchesType(type, value)) {
      return this.#fail(place, `must be of type ${[type].flat().join(' or ')}`);
    }
    if (Array.isArray(allowed) && !this.#isIn(allowed, value)) {
      return this.#fail(place, `must be one of ${shorten(JSON.stringify(allowed))}`);
    }
    if (Object.hasOwn(schema, 'const') && this.#canonical(schema.const) !== this.#canonical(value)) {
      return this.#fail(place, `must be ${shorten(JSON.stringify(schema.const))}`);
    }
    const fault = typeof value === 'number' ? checkNumber(schema, value) : undefined;
    return fault === undefined || this.#fail(place, fault);
  }

  #checkText(schema: JsonObject, value: string, place: Place): boolean {
    const fault = checkText(schema, value);
    if (fault !== undefined) return this.#fail(place, fault);
    const { pattern } = schema;
    if (typeof pattern !== 'string' || this.#matches(pattern, value) !== false) return true;
    return this.#fail(place, `must match ${shorten(pattern)}`);
  }

  /** Whether a text matches; undefined when that cannot be determined. */
  #matches(pattern: string, text: string): boolean | undefined {
    if (!this.#patterns.has(pattern)) this.#patterns.set(pattern, this.#compilePattern(pattern));
    const test = this.#patterns.get(pattern);
    if (test === undefined) this.hasUncheckedPattern = true;
    this.#spend(text.length + 1);
    if (this.stopped !== undefined) return undefined;
    return test?.(text);
  }

  #checkArray(schema: JsonObject, value: JsonArray, place: Place): boolean {
    this.#spend(value.length);
    const { minItems = 0, maxItems = Infinity, uniqueItems } = schema;
    if (value.length < Number(minItems)) return this.#fail(place, `must have at least ${minItems} items`);
    if (value.length > Number(maxItems)) return this.#fail(place, `must have at most ${maxItems} items`);
    if (uniqueItems === true && this.#hasRepetition(value))
      return this.#fail(place, 'must not repeat an item');
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : schema.items;
    const fixed = Array.isArray(first) ? first : [];
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const holds = value.map((item, index) => {
      const own = index < fixed.length ? fixed[index] : rest;
      return own === undefined || this.#visitMember(own, item, String(index), place);
    });
    return holds.every(Boolean) && this.#checkContains(schema, value, place);
  }

  /** Whether an item is repeated; computed once for each list. */
  #hasRepetition(items: JsonArray): boolean {
    const known = this.#repetitions.get(items);
    if (known !== undefined) return known;
    const hasRepetition = new Set(items.map((item) => this.#canonical(item))).size < items.length;
    this.#repetitions.set(items, hasRepetition);
    return hasRepetition;
  }

  #checkContains(schema: JsonObject, value: JsonArray, place: Place): boolean {
    const { contains, minContains = 1, maxContains = Infinity } = schema;
    if (contains === undefined) return true;
    const count = value.filter((item, index) => {
      const holds = this.#tries(contains, item, { ...place, path: pathTo(place, String(index)) });
      if (holds && !this.#isDraft7) place.seen.add(String(index));
      return holds;
    }).length;
    if (count < Number(minContains))
      return this.#fail(place, `must contain at least ${minContains} fitting items`);
    if (count > Number(maxContains))
      return this.#fail(place, `must contain at most ${maxContains} fitting items`);
    return true;
  }

  #checkObject(schema: JsonObject, value: JsonObject, place: Place): boolean {
    const keys = Object.keys(value);
    const { minProperties = 0, maxProperties = Infinity, required } = schema;
    if (keys.length < Number(minProperties))
      return this.#fail(place, `must have at least ${minProperties} members`);
    if (keys.length > Number(maxProperties))
      return this.#fail(place, `must have at most ${maxProperties} members`);
    this.#spend(keys.length + (Array.isArray(required) ? required.length : 0));
    const missing = Array.isArray(required)
      ? required.filter((key) => !Object.hasOwn(value, String(key)))
      : [];
    for (const key of missing) this.#fail(place, `must have the member ${shorten(JSON.stringify(key))}`);
    const holds = keys.map((key) => this.#checkMember(schema, key, value, place));
    return missing.length === 0 && holds.every(Boolean) && this.#checkDependencies(schema, value, place);
  }

  #checkMember(schema: JsonObject, key: string, value: JsonObject, place: Place): boolean {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema;
    const member = value[key];
    const schemas: unknown[] = [];
    if (isJsonObject(properties) && Object.hasOwn(properties, key)) schemas.push(properties[key]);
    for (const [pattern, own] of Object.entries(isJsonObject(patternProperties) ? patternProperties : {})) {
      // An unsupported pattern may match, so the member is not additional and stays unchecked.
      const matches = this.#matches(pattern, key);
      if (matches !== false) schemas.push(matches ? own : true);
    }
    if (schemas.length === 0 && additionalProperties !== undefined) schemas.push(additionalProperties);
    const isNamed =
      propertyNames === undefined ||
      this.#visit(propertyNames, key, { ...place, path: pathTo(place, key), seen: new Set() });
    return schemas.map((own) => this.#visitMember(own, member, key, place)).every(Boolean) && isNamed;
  }

  #checkDependencies(schema: JsonObject, value: JsonObject, place: Place): boolean {
    const dependencies = ['dependencies', 'dependentRequired', 'dependentSchemas']
      .map((keyword) => schema[keyword])
      .filter(isJsonObject)
      .flatMap((each) => Object.entries(each));
    return dependencies.every(([key, dependent]) => {
      if (!Object.hasOwn(value, key)) return true;
      if (!Array.isArray(dependent)) return this.#visit(dependent, value, place);
      const missing = dependent.filter((needed) => !Object.hasOwn(value, String(needed)));
      return missing.length === 0 || this.#fail(place, `must have ${missing.join(', ')}, as it has ${key}`);
    });
  }

  #checkBranches(schema: JsonObject, value: unknown, place: Place): boolean {
    const { allOf, anyOf, oneOf, not, if: condition } = schema;
    let holds = true;
    if (Array.isArray(allOf)) holds = allOf.map((own) => this.#visit(own, value, place)).every(Boolean);
    if (Array.isArray(anyOf)) {
      // All branches are tried: each match evaluates members of its own.
      const count = anyOf.filter((own) => this.#tries(own, value, place)).length;
      if (count === 0) holds = this.#fail(place, 'must fit at least one of several schemas');
    }
    if (Array.isArray(oneOf)) {
      const count = oneOf.filter((own) => this.#tries(own, value, place)).length;
      if (count !== 1)
        holds = this.#fail(place, `must fit exactly one of several schemas, and fits ${count}`);
    }
    if (not !== undefined && this.#tries(not, value, { ...place, seen: new Set() })) {
      holds = this.#fail(place, 'must not fit the schema under "not"');
    }
    if (condition === undefined) return holds;
    const next = this.#tries(condition, value, place) ? schema.then : schema.else;
    return (next === undefined || this.#visit(next, value, place)) && holds;
  }

  #checkUnevaluated(schema: JsonObject, value: unknown, place: Place): boolean {
    const isArray = Array.isArray(value);
    const own = isArray ? schema.unevaluatedItems : schema.unevaluatedProperties;
    if (this.#isDraft7 || own === undefined || (!isArray && !isJsonObject(value))) return true;
    const members = Object.entries(value).filter(([key]) => !place.seen.has(key));
    return members.map(([key, member]) => this.#visitMember(own, member, key, place)).every(Boolean);
  }

  #visitMember(schema: unknown, member: unknown, key: string, place: Place): boolean {
    place.seen.add(key);
    return this.#visit(schema, member, { ...place, path: pathTo(place, key), seen: new Set() });
  }

  /** Whether a value matches an optional schema. Its evaluated members count only on a match. */
  #tries(schema: unknown, value: unknown, place: Place): boolean {
    const seen = new Set<string>();
    const holds = this.#visit(schema, value, { ...place, seen, errors: [] });
    if (holds) for (const key of seen) place.seen.add(key);
    return holds;
  }
}

function pathTo({ path }: Place, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const MAX_SHOWN_CHARS = 200;

function shorten(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

/** Whether a value has a type, or one of several types. No value has an unknown type. */
function matchesType(type: unknown, value: unknown): boolean {
  return [type].flat().some((one) => isOfType(one, value));
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      // 1.0 is one too: https://json-schema.org/draft/2020-12/json-schema-core#section-4.2.1
      return Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return false;
  }
}

/** Returns the constraint that a number violates, if any. */
function checkNumber(schema: JsonObject, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `must be above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `must be below ${exclusiveMaximum}`;
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf))
    return `must be a multiple of ${multipleOf}`;
  return undefined;
}

/** Allows for rounding: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  if (step <= 0) return true;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 4;
}

/** Returns the length constraint that a text violates, if any. Counts characters, not code units. */
function checkText(schema: JsonObject, value: string): string | undefined {
  const { minLength, maxLength } = schema;
  if (typeof minLength !== 'number' && typeof maxLength !== 'number') return undefined;
  const length = Array.from(value).length;
  if (typeof minLength === 'number' && length < minLength)
    return `must have at least ${minLength} characters`;
  if (typeof maxLength === 'number' && length > maxLength) return `must have at most ${maxLength} characters`;
  return undefined;
}

/** Longest pointer that is followed; real ones have two or three short steps. */
const MAX_POINTER_CHARS = 512;

/**
 * Resolves references within one document: by JSON Pointer, by `$anchor`, and by a declared `$id`.
 *
 * References are compared as written. A relative `$id` is not resolved against its base.
 */
class SchemaReferences {
  readonly #root: unknown;
  #named: Map<string, unknown> | undefined;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the referenced schema; undefined when the document does not have it. */
  resolve(reference: string): { readonly schema: unknown } | undefined {
    const hash = reference.indexOf('#');
    const [document, fragment] =
      hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
    const root = document === '' ? { schema: this.#root } : this.#find(document);
    if (root === undefined || fragment === '') return root;
    if (fragment.startsWith('/')) return followPointer(root.schema, fragment);
    return this.#find(`#${fragment}`);
  }

  #find(name: string): { schema: unknown } | undefined {
    if (this.#named === undefined) {
      this.#named = new Map();
      collectNames(this.#root, this.#named);
    }
    return this.#named.has(name) ? { schema: this.#named.get(name) } : undefined;
  }
}

function collectNames(schema: unknown, named: Map<string, unknown>): void {
  if (Array.isArray(schema)) for (const item of schema) collectNames(item, named);
  if (!isJsonObject(schema)) return;
  const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
  // Draft-07 declares an anchor as an `$id` that is only a fragment.
  if (typeof id === 'string') named.set(id.replace(/#$/, ''), schema);
  for (const name of [anchor, dynamicAnchor]) if (typeof name === 'string') named.set(`#${name}`, schema);
  for (const value of Object.values(schema)) collectNames(value, named);
}

/** https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function followPointer(root: unknown, pointer: string): { schema: unknown } | undefined {
  if (pointer.length > MAX_POINTER_CHARS) return undefined;
  const schema = memberAt(root, pointerKeys(decodePercent(pointer)));
  return schema === undefined ? undefined : { schema };
}
