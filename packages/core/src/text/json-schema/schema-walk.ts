import { canonicalJson, isJsonObject, type JsonObject } from '../canonical-json.ts';
import { checkNumber, checkText, matchesType } from './check-scalar.ts';
import { SchemaReferences } from './schema-references.ts';
import type { ValidationError } from './validation-error.ts';
import { VALIDATION_LIMITS } from './validation-limits.ts';

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
export type CompilePattern = (pattern: string) => ((text: string) => boolean) | undefined;

/** Checks one value against one schema. Single use. */
export class SchemaWalk {
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
