import {
  AddServerRequest,
  ApproveRequest,
  ApproveResponse,
  CallsResponse,
  ChangeEventData,
  ChangeResponse,
  ChangeServerRequest,
  ExamplesRequest,
  ExpandRequest,
  ExpandResponse,
  NamespaceListResponse,
  RegisterRequest,
  RegisterResponse,
  RegistrationRequest,
  RegistryErrorResponse,
  RegistryExample,
  RegistrySearchRequest,
  RegistrySearchResponse,
  RemoveServerResponse,
  SearchToolAnswerResponse,
  SearchToolRequest,
  SearchToolResponse,
  ServerListResponse,
  ServerResponse,
  StatsResponse,
  ToolDetailResponse,
  ToolListResponse,
  UsageRequest,
} from '@winnow/contract';
import { type JsonObject, jsonSchema } from '@winnow/service';

/** Every body, by the name that descriptions point to. */
export const SCHEMAS = {
  RegistrySearchRequest: jsonSchema(RegistrySearchRequest, 'input'),
  RegistrySearchResponse: jsonSchema(RegistrySearchResponse, 'output'),
  RegisterRequest: withItems(jsonSchema(RegisterRequest, 'input'), 'tools', 'RegistrationRequest'),
  RegistrationRequest: jsonSchema(RegistrationRequest, 'input'),
  RegisterResponse: jsonSchema(RegisterResponse, 'output'),
  ChangeResponse: jsonSchema(ChangeResponse, 'output'),
  ToolListResponse: jsonSchema(ToolListResponse, 'output'),
  ToolDetailResponse: jsonSchema(ToolDetailResponse, 'output'),
  ExamplesRequest: withItems(jsonSchema(ExamplesRequest, 'input'), 'examples', 'RegistryExample'),
  RegistryExample: jsonSchema(RegistryExample, 'input'),
  NamespaceListResponse: jsonSchema(NamespaceListResponse, 'output'),
  ExpandRequest: jsonSchema(ExpandRequest, 'input'),
  ExpandResponse: jsonSchema(ExpandResponse, 'output'),
  UsageRequest: jsonSchema(UsageRequest, 'input'),
  StatsResponse: jsonSchema(StatsResponse, 'output'),
  SearchToolResponse: jsonSchema(SearchToolResponse, 'output'),
  SearchToolRequest: jsonSchema(SearchToolRequest, 'input'),
  SearchToolAnswerResponse: jsonSchema(SearchToolAnswerResponse, 'output'),
  CallsResponse: jsonSchema(CallsResponse, 'output'),
  ChangeEventData: jsonSchema(ChangeEventData, 'output'),
  ErrorResponse: jsonSchema(RegistryErrorResponse, 'output'),
  ServerListResponse: jsonSchema(ServerListResponse, 'output'),
  ServerResponse: jsonSchema(ServerResponse, 'output'),
  AddServerRequest: jsonSchema(AddServerRequest, 'input'),
  ChangeServerRequest: jsonSchema(ChangeServerRequest, 'input'),
  RemoveServerResponse: jsonSchema(RemoveServerResponse, 'output'),
  ApproveRequest: jsonSchema(ApproveRequest, 'input'),
  ApproveResponse: jsonSchema(ApproveResponse, 'output'),
  McpRequest: { type: 'object', description: 'A message of the Model Context Protocol, as JSON-RPC 2.0.' },
} as const;

export type SchemaName = keyof typeof SCHEMAS;

/** A schema whose list has items of another schema: what the registry checks by itself is described all the same. */
function withItems(schema: JsonObject, property: string, items: string): JsonObject {
  const properties = schema.properties as Record<string, JsonObject>;
  const list = { ...properties[property], items: { $ref: `#/components/schemas/${items}` } };
  return { ...schema, properties: { ...properties, [property]: list } };
}
