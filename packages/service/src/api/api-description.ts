import type { CommonErrorCode } from '@winnow/core';
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

/** The errors and schemas of a service. */
export interface DescribedApi<Code extends string, Schemas, Own> {
  readonly statuses: Readonly<Record<Code, number>>;
  /** The situation in which each error happens, for readers of the description; those of all services have one already. */
  readonly meanings: Readonly<Record<Exclude<Code, CommonErrorCode>, string>> &
    Readonly<Partial<Record<CommonErrorCode, string>>>;
  /** Schemas by name. Names that end in `Request` are for input, all others for output. */
  readonly schemas: Schemas;
  /** Schemas that are in no contract, or are written otherwise; `ErrorResponse` is the body of an error. */
  readonly own: Own;
  /** Errors of every request that {@link ApiDescription.operations} describes. */
  readonly errors?: readonly NoInfer<Code>[];
  /** Writes the body of an error; the common form by default. */
  readonly write?: WriteError;
}

const COMMON_MEANINGS: Readonly<Record<CommonErrorCode, string>> = {
  invalid_json: 'The body is not JSON, not UTF-8, or does not decompress.',
  invalid_request: 'Wrong types, a missing field, or a number out of range; `details` names each path.',
  unauthorized: 'Tokens are configured and the bearer token is missing or wrong.',
  not_found: 'There is no such route.',
  method_not_allowed: 'The route exists, with another method; `Allow` names it.',
  request_timeout: 'The complete request did not arrive in time.',
  payload_too_large: 'The body exceeds the size limit.',
  unsupported_media_type: 'The content-type is not JSON, or the content-encoding is not supported.',
  internal: 'A defect of the service; logged with the request id.',
  overloaded:
    'Too many requests are waiting, or the service is starting or stopping; `Retry-After` says when to retry.',
};

/** Errors of every request with a body. */
export const BODY_ERRORS: readonly CommonErrorCode[] = [
  ...(['invalid_json', 'invalid_request', 'method_not_allowed'] as const),
  ...(['request_timeout', 'payload_too_large', 'unsupported_media_type'] as const),
];

/** The parts of an operation that differ; schemas are given by name. */
export interface Operation<Code extends string, SchemaName extends string> {
  /** Its name for programs. */
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  /** The schema of the response, or the response where it is not JSON; any JSON object when it is missing. */
  readonly response?: SchemaName | JsonObject;
  /** Errors in addition to those of every request, and of every request with a body. */
  readonly errors?: readonly Code[];
}

/**
 * An OpenAPI 3.1 description. The schema of errors is called `ErrorResponse`.
 *
 * Source: https://spec.openapis.org/oas/v3.1.0
 */
export class ApiDescription<
  Code extends string,
  Schemas extends object = object,
  Own extends Readonly<Record<string, JsonObject>> = Readonly<Record<string, JsonObject>>,
> {
  readonly #api: DescribedApi<Code, Schemas, Own>;
  readonly #meanings: Readonly<Record<string, string>>;

  constructor(api: DescribedApi<Code, Schemas, Own>) {
    this.#api = api;
    this.#meanings = { ...COMMON_MEANINGS, ...api.meanings };
  }

  /** Returns the document with the paths of a service, and with the schemas that they refer to. */
  document(
    info: { readonly title: string; readonly version: string; readonly description: string },
    ofService: JsonObject,
  ): JsonObject {
    const paths = { ...ofService, ...this.#ownPaths() };
    return {
      openapi: '3.1.0',
      info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
      paths,
      components: {
        schemas: this.#schemasOf(paths),
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'Needed when tokens are configured.' },
        },
      },
    };
  }

  /**
   * Returns the schemas that paths refer to. Definitions within a schema become separate schemas, because
   * references in a document start at its root.
   */
  #schemasOf(paths: JsonObject): JsonObject {
    const referred = [...JSON.stringify(paths).matchAll(REFERENCE)].map(([, name]) => name!);
    const { own, schemas } = this.#api;
    const named = new Set([...referred, ...Object.keys(own)]);
    const schemaOf = (name: string) =>
      own[name] ??
      jsonSchema(schemas[name as keyof Schemas] as z.ZodType, name.endsWith('Request') ? 'input' : 'output');
    return Object.fromEntries([...named].flatMap((name) => withOwnDefinitions(name, schemaOf(name))));
  }

  /** Describes health, metrics, and the description itself. */
  #ownPaths(): JsonObject {
    const [unauthorized, overloaded] = ['unauthorized', 'overloaded'] as Code[];
    return {
      '/healthz': { get: this.#describeProbe('isAlive', 'Whether the process is alive', []) },
      '/readyz': { get: this.#describeProbe('isReady', 'Whether to send requests here', [overloaded!]) },
      '/metrics': { get: this.#describeMetrics(unauthorized!) },
      '/openapi.json': { get: SELF },
      '/docs': { get: PAGE },
    };
  }

  /** Describes operations, such as `GET /v1/tools`, by path. */
  operations(
    operations: Readonly<
      Record<`${string} /${string}`, Operation<Code, (keyof Schemas | keyof Own) & string>>
    >,
  ): JsonObject {
    const paths: Record<string, Record<string, JsonObject>> = {};
    for (const [place, operation] of Object.entries(operations)) {
      const [method, path] = place.split(' ') as [string, string];
      paths[path] = { ...paths[path], [method.toLowerCase()]: this.#describe(operation) };
    }
    return paths;
  }

  #describe(operation: Operation<Code, (keyof Schemas | keyof Own) & string>): JsonObject {
    const { id, summary, parameters = [], body, response, errors = [] } = operation;
    const schema = response === undefined ? { type: 'object' } : { $ref: `#/components/schemas/${response}` };
    const json = {
      description: 'Done.',
      headers: REQUEST_ID_HEADER,
      content: { 'application/json': { schema } },
    };
    const ofBody = body === undefined ? [] : (BODY_ERRORS as readonly Code[]);
    return {
      operationId: id,
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
        200: typeof response === 'object' ? response : json,
        ...this.errors([...new Set([...(this.#api.errors ?? []), ...ofBody, ...errors])]),
      },
    };
  }

  /** Describes one response for each status; codes with the same status are examples of one response. */
  errors(codes: readonly Code[]): JsonObject {
    const byStatus = Object.groupBy(codes, (code) => String(this.#api.statuses[code]));
    return Object.fromEntries(
      Object.entries<Code[]>(byStatus as Record<string, Code[]>).map(([status, sharing]) => [
        status,
        this.#describeError(sharing),
      ]),
    );
  }

  #describeError(codes: readonly Code[]): JsonObject {
    const { statuses, write = writeOwnError } = this.#api;
    const meant = codes.map((code) => [code, this.#meanings[code]!] as const);
    const examples = meant.map(([code, summary]) => [
      code,
      { summary, value: write(new ApiError(code, statuses[code], summary)) },
    ]);
    return {
      description: meant.map(([code, meaning]) => `\`${code}\`: ${meaning}`).join(' '),
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

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

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
  summary: 'This description as a page',
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
