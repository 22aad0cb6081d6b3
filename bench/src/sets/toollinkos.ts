import { type Parameter, parameterSchema } from './parameter-schema.ts';
import { type ConvertedSet, mergeQueries, type ReadText, type SetSource } from './set-source.ts';

const REGULAR = 'toollinkos/regular_tools.json';
const CORE = 'toollinkos/core_tools.json';
const INSTANCES = 'toollinkos/instances.json';

/** ToolLinkOS: tools that depend on one another; only the tool asked for is gold. */
export const toollinkos: SetSource = {
  name: 'toollinkos',
  repository: 'EliasLumer/Graph-RAG-Tool-Fusion-ToolLinkOS',
  commit: 'b630b98656e25c3b83a71ea0406572add38ae46d',
  licence: 'MIT',
  files: [REGULAR, CORE, INSTANCES],
  licenceFile: 'LICENSE',
  faults: ['Only the tool asked for counts as gold, not those it depends on.'],
  sha256: {
    tools: '644f5568df129c8c3c89dab5cbdc60b220f6dd75bcbb01c08c470f1d3b268cf7',
    queries: '42d2b44b40d1a3506df79d6c5cd02624a90580e7b425147988a3a1994044e2ca',
  },
  convert,
};

interface SourceTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly (Parameter & { readonly name: string; readonly required?: boolean })[];
  readonly func_type: string;
}

interface Instance {
  readonly user_query: string;
  readonly main_golden_function_name: string;
}

function convert(read: ReadText): ConvertedSet {
  const tools = [REGULAR, CORE].flatMap((path) => JSON.parse(read(path)) as SourceTool[]);
  const instances = JSON.parse(read(INSTANCES)) as Instance[];
  return {
    tools: tools.map(({ name, description, parameters, func_type }) => ({
      name,
      description,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map((parameter) => [parameter.name, parameterSchema(parameter)]),
        ),
        required: parameters.filter(({ required }) => required).map((parameter) => parameter.name),
      },
      group: func_type,
    })),
    queries: mergeQueries(
      instances.map((instance, number) => ({
        id: `q${number}`,
        query: instance.user_query,
        gold: [instance.main_golden_function_name],
        kind: 'request',
      })),
    ),
  };
}
