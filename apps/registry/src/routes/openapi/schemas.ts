import {
  ExamplesRequest,
  RegisterRequest,
  RegistrationRequest,
  RegistryErrorResponse,
  RegistryExample,
} from '@winnow/contract';
import { type JsonObject, jsonSchema } from '@winnow/service';

/** Schemas that are described otherwise than the contract has them. */
export const OWN_SCHEMAS = {
  RegisterRequest: withItems(jsonSchema(RegisterRequest, 'input'), 'tools', 'RegistrationRequest'),
  RegistrationRequest: jsonSchema(RegistrationRequest, 'input'),
  ExamplesRequest: withItems(jsonSchema(ExamplesRequest, 'input'), 'examples', 'RegistryExample'),
  RegistryExample: jsonSchema(RegistryExample, 'input'),
  ErrorResponse: jsonSchema(RegistryErrorResponse, 'output'),
  McpRequest: { type: 'object', description: 'A message of the Model Context Protocol, as JSON-RPC 2.0.' },
} as const;

/** A schema whose list has items of another schema: what the registry checks by itself is described all the same. */
function withItems(schema: JsonObject, property: string, items: string): JsonObject {
  const properties = schema.properties as Record<string, JsonObject>;
  const list = { ...properties[property], items: { $ref: `#/components/schemas/${items}` } };
  return { ...schema, properties: { ...properties, [property]: list } };
}
