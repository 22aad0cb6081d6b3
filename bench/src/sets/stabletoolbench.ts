import { type Parameter, parameterSchema } from './parameter-schema.ts';
import {
  type ConvertedSet,
  compareText,
  mergeQueries,
  ownList,
  type ReadText,
  type SetSource,
  uniqueBy,
} from './set-source.ts';

const PARTS = ['G1_instruction', 'G1_category', 'G1_tool', 'G2_instruction', 'G2_category', 'G3_instruction'];

/**
 * StableToolBench: endpoints of public HTTP APIs, requests for several of them, most with a list to choose
 * from.
 */
export const stabletoolbench: SetSource = {
  name: 'stabletoolbench',
  repository: 'THUNLP-MT/StableToolBench',
  commit: 'aa4ed9f4737ad98bd706663f01d63623c3427812',
  licence: 'Apache-2.0',
  files: PARTS.map(path),
  licenceFile: 'LICENSE',
  faults: ['214 tools have no description, and names of endpoints are often paths.'],
  sha256: {
    tools: 'f59d53139e95f72ed969a46e71cb3663865b276675b482e1411dee0b4df115d2',
    queries: 'ee29b74500ec47221d7461b6b9a788ad8dc4b4baeb88e7bcbe7423d8cdbc8773',
  },
  convert,
};

function path(part: string): string {
  return `solvable_queries/test_instruction/${part}.json`;
}

interface Request {
  readonly query_id: number;
  readonly query: string;
  readonly api_list: readonly Endpoint[];
  /** Pairs of tool and endpoint. */
  readonly 'relevant APIs': readonly (readonly [string, string])[];
}

interface Endpoint {
  readonly category_name: string;
  readonly tool_name: string;
  readonly api_name: string;
  readonly api_description: string;
  readonly required_parameters: readonly (Parameter & { readonly name: string })[];
  readonly optional_parameters: readonly (Parameter & { readonly name: string })[];
}

function convert(read: ReadText): ConvertedSet {
  const requests = PARTS.flatMap((part) =>
    (JSON.parse(read(path(part))) as Request[]).map((request) => ({ part, ...request })),
  );
  const endpoints = uniqueBy(
    requests.flatMap(({ api_list }) => api_list),
    nameOf,
  );
  return {
    tools: endpoints
      .map((endpoint) => ({
        name: nameOf(endpoint),
        description: endpoint.api_description,
        parameters: {
          type: 'object' as const,
          properties: Object.fromEntries(
            [...endpoint.required_parameters, ...endpoint.optional_parameters].map((parameter) => [
              parameter.name.trim(),
              withoutEmpty(parameterSchema(parameter)),
            ]),
          ),
          required: endpoint.required_parameters.map(({ name }) => name.trim()),
        },
        group: `${endpoint.category_name}/${endpoint.tool_name}`,
      }))
      .sort((one, other) => compareText(one.name, other.name)),
    queries: mergeQueries(
      requests.map(({ part, query_id, query, api_list, 'relevant APIs': relevant }) => ({
        id: `${part}-${query_id}`,
        query,
        gold: [...new Set(relevant.map(([tool, endpoint]) => `${tool}__${endpoint}`))],
        kind: 'request-multi',
        ...ownList(api_list.map(nameOf)),
      })),
    ),
  };
}

function nameOf({ tool_name, api_name }: Endpoint): string {
  return `${tool_name}__${api_name}`;
}

/** Treats empty values of the source as missing. */
function withoutEmpty(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
