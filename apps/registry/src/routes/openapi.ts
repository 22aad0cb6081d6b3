import type { JsonObject } from '@winnow/service';
import { describeClients } from './openapi/client-paths.ts';
import { DESCRIPTION } from './openapi/errors.ts';
import { describeFeed } from './openapi/feed-paths.ts';
import { describeServers } from './openapi/server-paths.ts';
import { describeTools } from './openapi/tool-paths.ts';

/** The OpenAPI 3.1 description of the service, made from the schemas that validate. */
export function describeApi(version: string): JsonObject {
  const description =
    'Tools that stay: registered once, searched by everybody who may see them, watched for changes.';
  return DESCRIPTION.document(
    { title: 'Winnow registry', version, description },
    { ...describeServers(), ...describeTools(), ...describeClients(), ...describeFeed() },
  );
}
