import type { JsonObject } from '@winnow/service';
import { describeClients } from './openapi/client-paths.ts';
import { DESCRIPTION } from './openapi/errors.ts';
import { describeFeed } from './openapi/feed-paths.ts';
import { SCHEMAS } from './openapi/schemas.ts';
import { describeServers } from './openapi/server-paths.ts';
import { describeTools } from './openapi/tool-paths.ts';

/** The OpenAPI 3.1 description of the service, made from the schemas that validate. */
export function describeApi(version: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Winnow registry',
      version,
      description:
        'Tools that stay: registered once, searched by everybody who may see them, watched for changes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: {
      ...describeServers(),
      ...describeTools(),
      ...describeClients(),
      ...describeFeed(),
      ...DESCRIPTION.ownPaths(),
    },
    components: DESCRIPTION.components(SCHEMAS),
  };
}
