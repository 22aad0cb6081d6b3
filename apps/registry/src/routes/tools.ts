import {
  type ChangeResponse,
  DetailLevelName,
  ExamplesRequest,
  parseJson,
  RegisterRequest,
  type RegisterResponse,
  RegistryBackend,
  type ToolListResponse,
} from '@winnow/core';
import type { Backend, ChangeSummary, Registration, ToolExample, ToolFilter } from '@winnow/registry';
import { checkForm, jsonResponse, type RouteResponse } from '@winnow/service';
import { z } from 'zod';
import type { RegistryRoute } from '../http/registry-route.ts';
import { noSuchTool, RegistryError, unwrap } from '../registry-error.ts';
import { readDefinitions, readPage, toDetail, toListed } from './contract.ts';

const TOOLS_PATH = '/v1/registry/tools';
const TOOL_PATH = '/v1/registry/tools/{id}';

/** `PUT /v1/registry/tools`: registers all of the tools, or none. */
export const registerRoute: RegistryRoute<typeof RegisterRequest> = {
  name: 'register',
  path: TOOLS_PATH,
  right: 'write',
  body: RegisterRequest,
  async handle({ registry, body, expectVersion, exchange }) {
    const options = {
      dryRun: body.dry_run,
      ...(body.on_difference && { onDifference: body.on_difference }),
      ...(expectVersion !== undefined && { expectVersion }),
    };
    // The registry checks every value itself, and names each problem.
    const summary = unwrap(await registry.register(body.tools as Registration[], options));
    const { version, registered, updated, unchanged, effects } = summary;
    exchange.facts = { ...exchange.facts, tools: body.tools.length, version, registered, updated };
    return jsonResponse({
      version,
      registered,
      updated,
      unchanged,
      ...(body.dry_run && {
        dry_run: true as const,
        tools: effects.map(({ id, modelName, effect }) => ({ id, tool_name: modelName, effect })),
      }),
    } satisfies RegisterResponse);
  },
};

const ListQuery = z.object({ include: z.enum(['schemas']).optional() });

/** `GET /v1/registry/tools`: summaries by id, with definitions on request. */
export const listRoute: RegistryRoute<undefined> = {
  name: 'list',
  path: TOOLS_PATH,
  right: 'read',
  body: undefined,
  async handle({ registry, query }) {
    const { namespace, tag, server } = query;
    const filter: ToolFilter = {
      ...(namespace !== undefined && { namespaces: [namespace] }),
      ...(tag !== undefined && { tags: [tag] }),
      ...(server !== undefined && { servers: [server] }),
    };
    const { include } = checkForm(ListQuery, query);
    const { rows, nextCursor, version } = unwrap(await registry.list(filter, readPage(query)));
    const definitions = include === 'schemas' ? await readDefinitions(rows, registry) : undefined;
    return jsonResponse({
      tools: rows.map((row) => toListed(row, definitions?.get(row.id))),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
      version,
    } satisfies ToolListResponse);
  },
};

const DetailQuery = z.object({ detail: DetailLevelName.default('schema') });

/** `GET /v1/registry/tools/{id}`: one tool, with its content hash as its ETag. */
export const toolRoute: RegistryRoute<undefined> = {
  name: 'tool',
  path: TOOL_PATH,
  right: 'read',
  body: undefined,
  async handle({ registry, params, query, exchange }) {
    const { detail } = checkForm(DetailQuery, query);
    const tool = await registry.get(params.id!, detail);
    if (tool === undefined) throw noSuchTool();
    const etag = `"${tool.contentHash}"`;
    const known = exchange.incoming.headers['if-none-match'];
    // Usage and staleness change without the content, so responses with them are always sent.
    if (detail !== 'full' && tool.staleSince === undefined && known === etag)
      return { status: 304, headers: { etag }, body: '' };
    return jsonResponse(toDetail(tool), { etag });
  },
};

/** `DELETE /v1/registry/tools/{id}`: removes the tool, or one of its backends. */
export const removeRoute: RegistryRoute<undefined> = {
  name: 'remove',
  path: TOOL_PATH,
  right: 'write',
  body: undefined,
  async handle({ registry, params, query, expectVersion }) {
    const options = expectVersion === undefined ? {} : { expectVersion };
    const backend = query.backend === undefined ? undefined : readBackend(query.backend);
    return changeResponse(unwrap(await registry.unregister(params.id!, backend, options)));
  },
};

/** `PUT /v1/registry/tools/{id}/examples`: replaces the examples of a tool. */
export const examplesRoute: RegistryRoute<typeof ExamplesRequest> = {
  name: 'examples',
  path: `${TOOL_PATH}/examples`,
  right: 'write',
  body: ExamplesRequest,
  async handle({ registry, params, body, expectVersion }) {
    const options = expectVersion === undefined ? {} : { expectVersion };
    const examples = body.examples.map(fromContract) as ToolExample[];
    return changeResponse(unwrap(await registry.setExamples(params.id!, examples, options)));
  },
};

function changeResponse({ version, updated, removed, unchanged }: ChangeSummary): RouteResponse {
  return jsonResponse({ version, updated, removed, unchanged } satisfies ChangeResponse);
}

/** An example with the registry's own names; the registry refuses values that are not objects. */
function fromContract(example: unknown): unknown {
  if (typeof example !== 'object' || example === null || !('result_hint' in example)) return example;
  const { result_hint: resultHint, ...rest } = example;
  return { ...rest, resultHint };
}

function readBackend(text: string): Backend {
  const backend = RegistryBackend.safeParse(parseJson(text));
  if (backend.success) return backend.data;
  throw new RegistryError(
    'invalid_backend',
    'backend must be JSON, such as {"kind":"mcp","server":"github"}, with all fields of its kind.',
  );
}
