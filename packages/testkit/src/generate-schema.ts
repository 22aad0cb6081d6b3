import { capitalise, withArticle } from './english.ts';
import type { Random } from './random.ts';
import { ENUMERATIONS, FIELDS, QUALIFIERS, ROLES } from './vocabulary.ts';

/** A JSON schema in a tool definition. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A named parameter of a generated tool. */
export interface GeneratedParameter {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** Returns the schema of an object with these parameters. */
export function toObjectSchema(parameters: readonly GeneratedParameter[]): JsonSchema {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/**
 * Generates one parameter for a tool that acts on `noun`.
 *
 * Most are scalars with a one-sentence description, as in real catalogues. About one in seven is an
 * enumeration, one in seven an array, and one in ten an object with its own parameters (at most two levels
 * deep).
 */
export function generateParameter(random: Random, noun: string, depth = 0): GeneratedParameter {
  const kind = random.below(depth === 0 ? 20 : 17);
  const isRequired = random.chance(0.4);
  const field = random.pick(FIELDS);

  if (kind < 3) return { ...enumeration(random, noun, field), isRequired };
  if (kind < 6) return { ...list(random, noun, field), isRequired };
  if (kind < 8) return { ...amount(random, noun, field), isRequired };
  if (kind < 10) return { ...flag(random, noun), isRequired };
  if (kind < 12) return { ...reference(random, noun), isRequired };
  if (kind < 17) return { ...text(random, noun, field), isRequired };
  if (kind < 19) return { ...nested(random, noun, field), isRequired };
  return { ...listOfObjects(random, noun, field), isRequired };
}

type Part = Omit<GeneratedParameter, 'isRequired'>;

function enumeration(random: Random, noun: string, field: string): Part {
  const values = random.pick(ENUMERATIONS);
  const description = `Which ${field} of the ${noun} to use, ${values[0]} when left out.`;
  return { name: `${noun}_${field}`, schema: { type: 'string', enum: values, description } };
}

function list(random: Random, noun: string, field: string): Part {
  const description = `${capitalise(field)} values to ${random.pick(['include', 'exclude', 'match', 'replace'])}.`;
  return { name: `${noun}_${field}s`, schema: { type: 'array', items: { type: 'string' }, description } };
}

function amount(random: Random, noun: string, field: string): Part {
  const maximum = random.pick([10, 50, 100, 500, 1_000, 10_000]);
  const description = `Highest ${field} that ${withArticle(noun)} may have, up to ${maximum}.`;
  return { name: `max_${field}`, schema: { type: 'integer', minimum: 0, maximum, description } };
}

function flag(random: Random, noun: string): Part {
  const qualifier = random.pick(QUALIFIERS);
  const description = `Whether ${withArticle(qualifier)} ${noun} counts as well.`;
  return { name: `include_${qualifier}`, schema: { type: 'boolean', default: false, description } };
}

function reference(random: Random, noun: string): Part {
  const qualifier = random.pick(QUALIFIERS);
  const description = `Identifier of the ${qualifier} ${noun}.`;
  return { name: `${qualifier}_${noun}_id`, schema: { type: 'string', description } };
}

function text(random: Random, noun: string, field: string): Part {
  const description = random.pick([
    `${capitalise(field)} of the ${noun}.`,
    `The ${field} under which the ${noun} is filed, as the ${random.pick(ROLES)} entered it.`,
    `Free text for the ${field}; shown to the ${random.pick(ROLES)}.`,
    `New ${field} of the ${random.pick(QUALIFIERS)} ${noun}.`,
  ]);
  return { name: field, schema: { type: 'string', description } };
}

function nested(random: Random, noun: string, field: string): Part {
  const schema = { ...toObjectSchema(members(random, noun)), description: `How the ${field} is set.` };
  return { name: `${field}_options`, schema };
}

function listOfObjects(random: Random, noun: string, field: string): Part {
  const description = `One entry for each ${field}.`;
  const items = toObjectSchema(members(random, noun));
  return { name: `${field}_entries`, schema: { type: 'array', items, description } };
}

function members(random: Random, noun: string): GeneratedParameter[] {
  return Array.from({ length: random.between(2, 3) }, () => generateParameter(random, noun, 1));
}
