import { type Parameter, parameterSchema } from './parameter-schema.ts';
import { type ConvertedSet, mergeQueries, parseLines, type ReadText, type SetSource } from './set-source.ts';

const TOOLS = 'Seal-Tools_Dataset/tool.jsonl';
const QUERIES = ['dev', 'test_in_domain', 'test_out_domain'].map(
  (part) => `Seal-Tools_Dataset/${part}.jsonl`,
);

/** Seal-Tools: tools and requests written by a model, in three parts; the training part is not used. */
export const sealtools: SetSource = {
  name: 'sealtools',
  repository: 'fairyshine/Seal-Tools',
  commit: 'ce753ecd60ed08dd376984035de531ab8421f1c6',
  licence: 'Apache-2.0',
  files: [TOOLS, ...QUERIES],
  licenceFile: 'LICENSE',
  faults: ['Tools and queries are made up by a model; queries restate the names of parameters.'],
  sha256: {
    tools: '53bb95e57b96be44b46ca1cf6623a0d760c49054149923a8dcde150a3cbcb674',
    queries: '5b2e7a45653cf245c47c694b683b5180bb25171cc84ca16f084dcd457daf5b45',
  },
  convert,
};

interface SourceTool {
  readonly api_name: string;
  readonly api_description: string;
  readonly field: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly required: readonly string[];
}

interface SourceQuery {
  readonly id: string;
  readonly query: string;
  readonly calling: readonly { readonly api: string }[];
}

function convert(read: ReadText): ConvertedSet {
  return {
    tools: parseLines<SourceTool>(read(TOOLS)).map((tool) => ({
      name: tool.api_name,
      description: tool.api_description,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(tool.parameters).map(([name, { type, description }]) => [
            name,
            parameterSchema({ type, description }),
          ]),
        ),
        required: tool.required,
      },
      group: tool.field,
    })),
    queries: mergeQueries(
      QUERIES.flatMap((path) => parseLines<SourceQuery>(read(path))).map(({ id, query, calling }) => ({
        id,
        query,
        gold: [...new Set(calling.map(({ api }) => api))],
        // The repository's own split by difficulty: several calls may use one tool.
        kind: id.includes('-easy-') ? 'request' : 'request-multi',
      })),
    ),
  };
}
