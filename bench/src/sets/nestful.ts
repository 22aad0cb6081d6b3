import { type Parameter, parameterSchema } from './parameter-schema.ts';
import {
  type ConvertedSet,
  mergeQueries,
  type ObjectSchema,
  type ReadText,
  type SetSource,
  uniqueBy,
} from './set-source.ts';

/** The three parts, in this order; each is a file of tools and one of requests. */
const PARTS = [
  { group: 'executable/executable', path: 'data/executable/executable' },
  { group: 'sgd', path: 'data/non-executable/non-executable-sgd' },
  { group: 'glaive', path: 'data/non-executable/non-executable-glaive' },
];

/** NESTFUL: long requests that need several tools in a row. */
export const nestful: SetSource = {
  name: 'nestful',
  repository: 'IBM/NESTFUL',
  commit: '053cbde0446dddd31e8293f179085e1b39ab79b5',
  licence: 'Apache-2.0',
  files: PARTS.flatMap(({ path }) => [`${path}-spec.json`, `${path}-data.json`]),
  licenceFile: 'LICENSE',
  faults: [
    'Tools of the part `sgd` are without their parameters, and calls of tools that no specification has are not in the gold.',
  ],
  sha256: {
    tools: '4b9474c9ccf1ce848f852a07098925ad8ec9922912c208895608313be27907b4',
    queries: 'ebc9028cc8cc17b065eb067a5044d444d0bc086c69b0bfc60d823829b476a831',
  },
  convert,
};

interface SourceTool {
  readonly name: string;
  readonly description: string;
  readonly query_parameters?: Parameters;
  /** The members that some `glaive` tools have instead. */
  readonly parameters?: Parameters;
}

type Parameters = Readonly<Record<string, Parameter & { readonly required?: boolean }>>;

interface SourceRequest {
  readonly input: string;
  readonly output: readonly { readonly name: string }[];
}

function convert(read: ReadText): ConvertedSet {
  const specified = PARTS.flatMap(({ group, path }) =>
    (JSON.parse(read(`${path}-spec.json`)) as SourceTool[]).map((tool) => ({ group, ...tool })),
  );
  const tools = uniqueBy(specified, ({ name }) => name);
  const known = new Set(tools.map(({ name }) => name));
  return {
    tools: tools.map(({ name, description, query_parameters, parameters, group }) => ({
      name,
      description,
      parameters: objectSchema(query_parameters ?? parameters ?? {}),
      group,
    })),
    queries: mergeQueries(
      PARTS.flatMap(({ group, path }) =>
        (JSON.parse(read(`${path}-data.json`)) as SourceRequest[]).map(({ input, output }, number) => ({
          id: `${group}-${number}`,
          query: input,
          // The last call names the result, and some calls name tools that no specification has.
          gold: [...new Set(output.map(({ name }) => name).filter((name) => known.has(name)))],
          kind: 'request-multi' as const,
        })),
      ),
    ),
  };
}

function objectSchema(parameters: Parameters): ObjectSchema {
  const entries = Object.entries(parameters);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameterSchema(parameter)])),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
  };
}
