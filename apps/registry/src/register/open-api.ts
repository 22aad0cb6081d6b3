import { upgrade } from '@scalar/openapi-upgrader';
import { decodePercent, memberAt, pointerKeys } from '@winnow/core';
import { isJsonObject, type Json, type JsonObject, type McpTool } from '@winnow/registry';
import { backendOf, type Candidate, type Placement } from './placement.ts';

/** A reference that leads out of the document, to nothing, or in a circle; the message is a sentence. */
class UnreadableReference extends Error {}

/** The references of one OpenAPI document. */
export class References {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** Returns the value itself, or the target of its `$ref`. Throws an `UnreadableReference`. */
  follow(value: Json | undefined): Json | undefined {
    const seen = new Set<string>();
    let reached = value;
    while (isJsonObject(reached) && typeof reached.$ref === 'string') {
      const { $ref } = reached;
      if (seen.has($ref)) throw new UnreadableReference(`${$ref} refers to itself.`);
      seen.add($ref);
      reached = this.#find($ref);
    }
    return reached;
  }

  /**
   * Returns a self-contained schema: its `$defs` have all targets of its references. Throws an
   * `UnreadableReference`.
   */
  complete(schema: JsonObject): JsonObject {
    const names = new Map<string, string>();
    const definitions = new Map<string, Json>();
    const relink = (value: Json, isByName = false): Json => {
      if (Array.isArray(value)) return value.map((member) => relink(member));
      if (!isJsonObject(value)) return value;
      const linked = Object.entries(value).map(([key, member]) => {
        if (isByName) return [key, relink(member)];
        if (key === '$ref' && typeof member === 'string') return [key, define(member)];
        return [key, isData(key) ? member : relink(member, BY_NAME.has(key))];
      });
      return Object.fromEntries(linked);
    };
    const define = (reference: string): string => {
      const known = names.get(reference);
      if (known !== undefined) return known;
      const name = freeName(reference, definitions);
      const link = `#/$defs/${name}`;
      names.set(reference, link);
      // In its place before it is read: it may refer to itself.
      definitions.set(name, true);
      definitions.set(name, relink(this.#find(reference)));
      return link;
    };
    const whole = relink(schema) as JsonObject;
    return names.size === 0 ? whole : { ...whole, $defs: Object.fromEntries(definitions) };
  }

  #find(reference: string): Json {
    if (!reference.startsWith('#'))
      throw new UnreadableReference(`${reference} is in another document. Make one document of them first.`);
    const found = memberAt(this.#document, keysOf(reference)) as Json | undefined;
    if (found === undefined) throw new UnreadableReference(`${reference} leads to nothing.`);
    return found;
  }
}

function keysOf(reference: string): string[] {
  return pointerKeys(decodePercent(reference.slice(1)));
}

/** The last part of a reference, with characters that need no escape, and a number if it is taken. */
function freeName(reference: string, taken: ReadonlyMap<string, Json>): string {
  const plain = (keysOf(reference).at(-1) ?? '').replace(/[^\w.-]/g, '_') || 'schema';
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${plain}_${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Keywords with schemas under names, which may be those of keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
]);

/** Keywords whose values are data, in which nothing is a reference. */
function isData(key: string): boolean {
  return ['example', 'examples', 'default', 'enum', 'const'].includes(key) || key.startsWith('x-');
}

/** Members of a path that are operations. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Whether a value is an OpenAPI document of any version, 2.0 (Swagger) included. */
export function isOpenApi(value: unknown): value is JsonObject {
  return isJsonObject(value) && ('openapi' in value || 'swagger' in value);
}

/**
 * Returns one tool for each operation of a document, or a sentence for each operation that cannot be a tool. A tool
 * says in `_meta.http` where each of its arguments goes.
 */
export function readOpenApi(value: JsonObject, file: string, placement: Placement): (Candidate | string)[] {
  const document = toNewest(value);
  if (document === undefined || !isJsonObject(document.paths))
    return [`${file}: the OpenAPI document has no paths that can be read.`];
  const references = new References(document);
  const taken = new Set<string>();
  const read = Object.entries(document.paths).flatMap(([path, item]): (Candidate | string)[] => {
    if (path.startsWith('x-')) return [];
    const place = `${file}: ${path}`;
    const followed = readable(place, () => references.follow(item));
    if (!isJsonObject(followed))
      return [typeof followed === 'string' ? followed : `${place}: not an object.`];
    // Operations may stand next to a reference to others.
    const members = { ...followed, ...(item as JsonObject) };
    return operationsOf(members).map(([method, operation]) => {
      const call = `${method} ${path}`;
      if (!isJsonObject(operation)) return `${file}: ${call}: not an object.`;
      const ownName = ownNameOf(operation, call, taken);
      const address = addressOf(operation) ?? addressOf(members) ?? addressOf(document);
      if (placement.backend === undefined && address === undefined) return `${file}: ${call}: ${NO_ADDRESS}`;
      return readable(`${file}: ${call}`, () => ({
        place: `${file}: ${call}`,
        ownName,
        registration: {
          tool: toTool({ operation, shared: members.parameters, call, ownName, references }),
          ...(placement.namespace !== undefined && { namespace: placement.namespace }),
          tags: [...placement.tags, ...textsOf(operation.tags)],
          backend: backendOf(placement.backend ?? { kind: 'provider', provider: address! }, call),
        },
      }));
    });
  });
  const isPlaceless =
    read.length > 0 && read.every((one) => typeof one === 'string' && one.endsWith(NO_ADDRESS));
  return isPlaceless ? [`${file}: ${NO_ADDRESS}`] : read;
}

const NO_ADDRESS = 'there is no complete server address. Add one: --backend provider:https://…';

/** The operations of a path: those that every version has, and those with methods of their own. */
function operationsOf(members: JsonObject): (readonly [method: string, operation: Json])[] {
  const { additionalOperations: more } = members;
  const usual = METHODS.filter((method) => method in members).map(
    (method) => [method.toUpperCase(), members[method]!] as const,
  );
  return [...usual, ...(isJsonObject(more) ? Object.entries(more) : [])];
}

/** Version 3.1 has the JSON Schema that the registry has. Undefined if the document breaks its own rules. */
function toNewest(document: JsonObject): JsonObject | undefined {
  try {
    return upgrade(document, '3.1') as unknown as JsonObject;
  } catch {
    return undefined;
  }
}

function addressOf({ servers }: JsonObject): string | undefined {
  const urls = (Array.isArray(servers) ? servers : []).filter(isJsonObject).map(({ url, variables }) =>
    String(url).replace(/\{([^{}]+)\}/g, (written, name: string) => {
      const variable = isJsonObject(variables) ? variables[name] : undefined;
      return isJsonObject(variable) && variable.default !== undefined ? String(variable.default) : written;
    }),
  );
  return urls.find((url) => /^https?:\/\/[^{]+$/.test(url));
}

/** Operation ids are unique in documents that keep the rules; method and path always are. */
function ownNameOf({ operationId }: JsonObject, call: string, taken: Set<string>): string {
  const isUsable = typeof operationId === 'string' && operationId !== '' && !taken.has(operationId);
  const plain = call
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '_')
    .replace(/_$/, '');
  const name = isUsable ? operationId : taken.has(plain) ? call : plain;
  taken.add(name);
  return name;
}

/** The value, or a sentence if it refers to something that cannot be read. */
function readable<Value>(place: string, read: () => Value): Value | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableReference) return `${place}: ${error.message}`;
    if (error instanceof RangeError) return `${place}: the document is nested too deeply.`;
    throw error;
  }
}

interface Operation {
  readonly operation: JsonObject;
  /** Parameters of all operations of the path. */
  readonly shared: Json | undefined;
  /** Method and path. */
  readonly call: string;
  readonly ownName: string;
  readonly references: References;
}

function toTool({ operation, shared, call, ownName, references }: Operation): McpTool {
  const inputs = [...parametersOf([shared, operation.parameters], references)];
  const body = bodyOf(operation.requestBody, references, new Set(inputs.map(({ name }) => name)));
  const all = [...inputs, ...body.inputs];
  const schema = {
    type: 'object',
    properties: Object.fromEntries(all.map((input) => [input.name, input.schema])),
    ...(all.some(({ isRequired }) => isRequired) && {
      required: all.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    }),
  };
  const { summary, description, deprecated } = operation;
  const said = [deprecated === true ? 'Deprecated.' : undefined, summary, description];
  const texts = [...new Set(said.filter((text) => typeof text === 'string' && text !== ''))];
  return {
    name: ownName,
    ...(typeof summary === 'string' && summary !== '' && { title: summary }),
    description: texts.length > 0 ? texts.join('\n') : call,
    inputSchema: references.complete(schema),
    annotations: annotationsOf(call),
    _meta: {
      http: {
        ...(body.contentType !== undefined && { contentType: body.contentType }),
        arguments: Object.fromEntries(all.map(({ name, target }) => [name, target])),
      },
    },
  };
}

/** Hints that follow from the method. */
function annotationsOf(call: string): { readonly [hint: string]: boolean } {
  const [method] = call.split(' ');
  if (method === 'GET' || method === 'HEAD' || method === 'QUERY') return { readOnlyHint: true };
  return { readOnlyHint: false, destructiveHint: method === 'DELETE' };
}

/** One property of a tool's schema, and the place of its value in the request. */
interface Input {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
  /**
   * `in` as OpenAPI has it, or `body`; without a name the value is the whole body. The rest says how the value is written, where the
   * document says it.
   */
  readonly target: JsonObject;
}

/** Headers that OpenAPI itself excludes from parameters. */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization'];

function parametersOf(lists: readonly (Json | undefined)[], references: References): Iterable<Input> {
  const found = new Map<string, JsonObject>();
  for (const parameter of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const value = references.follow(parameter);
    // Those of an operation replace those of its path.
    if (isJsonObject(value)) found.set(`${value.in} ${value.name}`, value);
  }
  const inputs = new Map<string, Input>();
  for (const parameter of found.values()) {
    const { name, in: place, required, schema, content, description } = parameter;
    if (typeof name !== 'string' || typeof place !== 'string') continue;
    if (place === 'header' && NO_PARAMETERS.includes(name.toLowerCase())) continue;
    const media = mediaOf(content);
    const unique = inputs.has(name) ? `${place}_${name}` : name;
    inputs.set(unique, {
      name: unique,
      schema: describe(schema ?? media?.schema, description),
      isRequired: required === true || place === 'path',
      target: { in: place, name, ...writingOf(parameter), ...(media && { contentType: media.contentType }) },
    });
  }
  return inputs.values();
}

/** The members of a parameter or an encoding that say how a value is written. */
function writingOf(described: Json | undefined): JsonObject {
  const members = isJsonObject(described) ? Object.entries(described) : [];
  return Object.fromEntries(members.filter(([key]) => WRITING.has(key)));
}

const WRITING: ReadonlySet<string> = new Set(['style', 'explode', 'allowReserved', 'contentType']);

/** The members of a body that is an object, each an input; else the body as one input. */
function bodyOf(requestBody: Json | undefined, references: References, taken: ReadonlySet<string>) {
  const body = references.follow(requestBody);
  const media = isJsonObject(body) ? mediaOf(body.content) : undefined;
  if (!isJsonObject(body) || media === undefined) return { inputs: [], contentType: undefined };
  const { contentType, schema, encoding } = media;
  const members = membersOf(references.follow(schema), taken);
  const writings = Object.entries(encoding).map(([name, one]) => [name, writingOf(one)] as const);
  const isRequired = body.required === true;
  const whole: Input = {
    name: taken.has('body') ? 'request_body' : 'body',
    schema: describe(schema, body.description),
    isRequired,
    target: { in: 'body', ...(writings.length > 0 && { encoding: Object.fromEntries(writings) }) },
  };
  const inputs = members?.map((one) => ({
    ...one,
    isRequired: one.isRequired && isRequired,
    target: { ...one.target, ...writingOf(encoding[one.name]) },
  })) ?? [whole];
  return { inputs, contentType };
}

/** Undefined for a schema that says more than which members there are, or has a member with a taken name. */
function membersOf(schema: Json | undefined, taken: ReadonlySet<string>): Input[] | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return undefined;
  const { properties, required } = schema;
  if (Object.keys(schema).some((key) => !PLAIN_MEMBERS.has(key))) return undefined;
  const names = Object.keys(properties);
  if (names.some((name) => taken.has(name))) return undefined;
  return names
    .filter((name) => !(isJsonObject(properties[name]) && properties[name].readOnly === true))
    .map((name) => ({
      name,
      schema: properties[name] ?? {},
      isRequired: textsOf(required).includes(name),
      target: { in: 'body', name },
    }));
}

/** Members of a schema that lose nothing when its properties become those of the tool. */
const PLAIN_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', 'examples', 'example', 'xml', 'externalDocs'],
]);

/** The media type that is easiest to write: JSON, then forms, then the first. */
function mediaOf(
  content: Json | undefined,
):
  | { readonly contentType: string; readonly schema: Json | undefined; readonly encoding: JsonObject }
  | undefined {
  if (!isJsonObject(content)) return undefined;
  const types = Object.keys(content);
  const contentType =
    types.find((type) => /^application\/(?:[\w.-]+\+)?json\b/i.test(type)) ??
    types.find((type) => /form/i.test(type)) ??
    types[0];
  if (contentType === undefined) return undefined;
  const { schema, encoding = {} } = isJsonObject(content[contentType]) ? content[contentType] : {};
  return { contentType, schema, encoding: isJsonObject(encoding) ? encoding : {} };
}

function describe(schema: Json | undefined, description: Json | undefined): Json {
  if (schema !== undefined && !isJsonObject(schema)) return schema;
  return typeof description === 'string' && description !== '' && schema?.description === undefined
    ? { ...schema, description }
    : (schema ?? {});
}

function textsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
