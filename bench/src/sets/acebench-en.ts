import { longestDefinitions, type NestedSchema, renameTypes } from './nested-schema.ts';
import {
  type ConvertedSet,
  mergeQueries,
  type ObjectSchema,
  ownList,
  parseLines,
  type ReadText,
  type SetSource,
} from './set-source.ts';

const FOLDER = 'data_all/data_en';
/** The parts with single-turn requests. */
const PARTS = [
  'normal_atom_bool',
  'normal_atom_enum',
  'normal_atom_list',
  'normal_atom_number',
  'normal_atom_object_deep',
  'normal_atom_object_short',
  'normal_preference',
  'normal_similar_api',
  'normal_single_turn_parallel_function',
  'normal_single_turn_single_function',
];

/**
 * ACEBench in English: near-identical tools, conversations of a few lines, most with a list to choose from.
 */
export const acebenchEn: SetSource = {
  name: 'acebench-en',
  repository: 'ACEBench/ACEBench',
  commit: 'e6db74b735ead22c24f27367606a9408573b848f',
  licence: 'MIT',
  files: PARTS.flatMap((part) => [questionsPath(part), answersPath(part)]),
  licenceFile: 'LICENSE.md',
  faults: ['11 names have several definitions, of which the longest is kept.'],
  sha256: {
    tools: '40ad1511efe899814728ecbb85767a1bfffb9fa382139b8f4d4cca2ecf7f92a9',
    queries: 'dde572f36e7f6a37fa418560ae41ff7100045e221809a339cb00c2a6ce24aee9',
  },
  convert,
};

function questionsPath(part: string): string {
  return `${FOLDER}/data_${part}.json`;
}

function answersPath(part: string): string {
  return `${FOLDER}/possible_answer/data_${part}.json`;
}

interface Question {
  readonly id: string;
  readonly question: string;
  readonly function: readonly SourceTool[];
}

interface SourceTool {
  readonly name: string;
  readonly description: string;
  readonly parameters?: NestedSchema;
  /** The members that some tools have instead of `parameters`. */
  readonly arguments?: NestedSchema;
}

type Calls = Readonly<Record<string, unknown>>;

interface Answer {
  readonly id: string;
  readonly ground_truth: Calls | readonly Calls[];
}

function convert(read: ReadText): ConvertedSet {
  const questions = PARTS.flatMap((part) => parseLines<Question>(read(questionsPath(part))));
  const answers = new Map(
    PARTS.flatMap((part) => parseLines<Answer>(read(answersPath(part)))).map(({ id, ground_truth }) => [
      id,
      [ground_truth].flat().flatMap((calls) => Object.keys(calls)),
    ]),
  );
  const tools = questions
    .flatMap((question) => question.function)
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: renameTypes(tool.parameters ?? tool.arguments ?? null) as ObjectSchema | null,
      group: null,
    }));
  return {
    tools: longestDefinitions(tools),
    queries: mergeQueries(
      questions.map(({ id, question, function: list }) => {
        const names = list.map(({ name }) => name);
        const gold = [...new Set((answers.get(id) ?? []).map((call) => calledTool(call, names)))];
        return {
          id,
          query: question.replace(/^user: /, ''),
          gold,
          kind: gold.length > 1 ? 'request-multi' : 'request',
          ...ownList(names),
        };
      }),
    ),
  };
}

/** Several calls of one tool are numbered: `name_1`, `name_2`. */
function calledTool(call: string, names: readonly string[]): string {
  return names.includes(call) ? call : call.replace(/_\d+$/, '');
}
