import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { type WriteError, writeOwnError } from './exchange.ts';

/** A JSON object whose shape the OpenAPI specification defines. */
export type JsonObject = { readonly [key: string]: unknown };

/** The id that a caller may give a request. */
export const REQUEST_ID_PARAMETER: JsonObject = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  description: 'Returned in the response and written to the log; generated when missing or invalid.',
};

/** The id in every response. */
export const REQUEST_ID_HEADER: JsonObject = {
  'X-Request-Id': { description: 'The id of the request.', schema: { type: 'string' } },
};

/** A parameter of an operation. Those of a path are required. */
export function parameter(place: 'path' | 'query' | 'header', name: string, description: string): JsonObject {
  return { name, in: place, required: place === 'path', schema: { type: 'string' }, description };
}

/** The errors of a service. */
export interface DescribedErrors<Code extends string> {
  readonly statuses: Readonly<Record<Code, number>>;
  /** The situation in which each error happens, for readers of the description. */
  readonly meanings: Readonly<Record<Code, string>>;
  /** Writes the body of an error; the common form by default. */
  readonly write?: WriteError;
}

/** The parts of an operation that differ; schemas go by their names. */
export interface Operation<Code extends string, SchemaName extends string> {
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  /** Any object when it is missing. */
  readonly response?: SchemaName;
  readonly errors: readonly Code[];
}

/**
 * The parts of an OpenAPI 3.1 description that all services share. The schema of errors is called
 * `ErrorResponse`.
 *
 * Source: https://spec.openapis.org/oas/v3.1.0
 */
export class ApiDescription<Code extends string, SchemaName extends string = string> {
  readonly #errors: DescribedErrors<Code>;

  constructor(errors: DescribedErrors<Code>) {
    this.#errors = errors;
  }

  /**
   * Returns the components of a document. Definitions within a schema become schemas of their own, because
   * references in a document start at its root.
   */
  components(schemas: Readonly<Record<SchemaName, JsonObject>>): JsonObject {
    const named = Object.entries<JsonObject>(schemas);
    return {
      schemas: Object.fromEntries(named.flatMap(([name, schema]) => withOwnDefinitions(name, schema))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Needed when tokens are configured.' },
      },
    };
  }

  /** Describes health, metrics, and the description itself. */
  ownPaths(): JsonObject {
    const [unauthorized, overloaded] = ['unauthorized', 'overloaded'] as Code[];
    return {
      '/healthz': { get: this.#describeProbe('isAlive', 'Whether the process is alive', []) },
      '/readyz': { get: this.#describeProbe('isReady', 'Whether to send requests here', [overloaded!]) },
      '/metrics': { get: this.#describeMetrics(unauthorized!) },
      '/openapi.json': { get: SELF },
      '/docs': { get: PAGE },
    };
  }

  /** Describes an operation that takes and gives JSON. */
  describe(
    operationId: string,
    summary: string,
    { parameters = [], body, response, errors }: Operation<Code, SchemaName>,
  ): JsonObject {
    const schema = response ? { $ref: `#/components/schemas/${response}` } : { type: 'object' };
    const content = { 'application/json': { schema } };
    return {
      operationId,
      summary,
      security: [{ bearer: [] }, {}],
      parameters: [...parameters, REQUEST_ID_PARAMETER],
      ...(body && {
        requestBody: {
          required: true,
          description: 'May be compressed: gzip, br, zstd or deflate.',
          content: jsonContent(body.schema, { example: { value: body.example } }),
        },
      }),
      responses: {
        200: { description: 'Done.', headers: REQUEST_ID_HEADER, content },
        ...this.errors(errors),
      },
    };
  }

  /** Describes one response for each status; codes with the same status are examples of one response. */
  errors(codes: readonly Code[]): JsonObject {
    const byStatus = Object.groupBy(codes, (code) => String(this.#errors.statuses[code]));
    return Object.fromEntries(
      Object.entries<Code[]>(byStatus as Record<string, Code[]>).map(([status, sharing]) => [
        status,
        this.#describeError(sharing),
      ]),
    );
  }

  #describeError(codes: readonly Code[]): JsonObject {
    const { meanings, statuses, write = writeOwnError } = this.#errors;
    const examples = codes.map((code) => [
      code,
      { summary: meanings[code], value: write(new ApiError(code, statuses[code], meanings[code])) },
    ]);
    return {
      description: codes.map((code) => `\`${code}\`: ${meanings[code]}`).join(' '),
      headers: REQUEST_ID_HEADER,
      content: jsonContent('ErrorResponse', Object.fromEntries(examples)),
    };
  }

  #describeProbe(operationId: string, summary: string, errors: readonly Code[]): JsonObject {
    const schema = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] };
    return {
      operationId,
      summary,
      security: [],
      responses: {
        200: { description: 'Yes.', content: { 'application/json': { schema } } },
        ...this.errors(errors),
      },
    };
  }

  #describeMetrics(unauthorized: Code): JsonObject {
    const content = { 'text/plain': { schema: { type: 'string' } } };
    return {
      operationId: 'readMetrics',
      summary: 'Metrics in the Prometheus text format',
      security: [{ bearer: [] }, {}],
      responses: { 200: { description: 'The metrics.', content }, ...this.errors([unauthorized]) },
    };
  }
}

function withOwnDefinitions(name: string, schema: JsonObject): [name: string, schema: JsonObject][] {
  const { $defs = {}, ...rest } = schema as { readonly $defs?: Readonly<Record<string, JsonObject>> };
  const definitions = Object.entries($defs);
  const places = new Map(
    definitions.map(([key], at) => [`#/$defs/${key}`, `#/components/schemas/${name}Part${at + 1}`]),
  );
  const moved = (value: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
      key === '$ref' ? (places.get(String(inner)) ?? inner) : inner,
    ) as JsonObject;
  return [
    [name, moved(rest)],
    ...definitions.map(([, one], at): [string, JsonObject] => [`${name}Part${at + 1}`, moved(one)]),
  ];
}

const SELF: JsonObject = {
  operationId: 'describeApi',
  summary: 'This description',
  security: [],
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  },
};

const PAGE: JsonObject = {
  operationId: 'showDocs',
  summary: 'A page that shows this description',
  security: [],
  responses: {
    200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
  },
};

/** Describes a JSON body or response by the name of its schema. */
export function jsonContent(schema: string, examples: JsonObject): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
}

/** Returns the schema without its `$schema`, because an OpenAPI document names its dialect itself. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    // A tool's definition is a custom check; its only JSON schema is the `type` in its metadata.
    unrepresentable: 'any',
  });
  return rest;
}
