import type { RegistryErrorCode } from '@winnow/contract';
import { type JsonObject, jsonContent, REQUEST_ID_HEADER, REQUEST_ID_PARAMETER } from '@winnow/service';
import { DESCRIPTION } from './errors.ts';
import type { SchemaName } from './schemas.ts';

/** What one operation is described by. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  /** Undefined for a response that has no form of its own. */
  readonly response?: SchemaName;
  readonly errors: readonly RegistryErrorCode[];
}

/** An operation as OpenAPI writes it. */
export function describe({ id, summary, parameters = [], body, response, errors }: Operation): JsonObject {
  const content = response
    ? { 'application/json': { schema: { $ref: `#/components/schemas/${response}` } } }
    : { 'application/json': { schema: { type: 'object' } } };
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
      200: { description: 'Done.', headers: REQUEST_ID_HEADER, content },
      ...DESCRIPTION.errors(errors),
    },
  };
}
