import { longestDefinitions, type NestedSchema, renameTypes } from './nested-schema.ts';
import {
  type ConvertedSet,
  compareText,
  mergeQueries,
  type ObjectSchema,
  ownList,
  parseLines,
  type ReadText,
  type SetSource,
} from './set-source.ts';

const FOLDER = 'berkeley-function-call-leaderboard/bfcl_eval/data';
/** The parts with single-turn requests and known answers. */
const ANSWERED = [
  'simple_python',
  'simple_java',
  'simple_javascript',
  'multiple',
  'parallel',
  'parallel_multiple',
  'live_simple',
  'live_multiple',
  'live_parallel',
  'live_parallel_multiple',
];
/** Parts whose tools are in the catalogue although no tool fits their requests. */
const UNANSWERED = ['irrelevance', 'live_relevance', 'live_irrelevance'];

/** The Berkeley Function Calling Leaderboard, version 4. */
export const bfcl: SetSource = {
  name: 'bfcl',
  repository: 'ShishirPatil/gorilla',
  commit: '6ea57973c7a6097fd7c5915698c54c17c5b1b6c8',
  licence: 'Apache-2.0',
  files: [...[...ANSWERED, ...UNANSWERED].map(questionsPath), ...ANSWERED.map(answersPath)],
  licenceFile: 'LICENSE',
  faults: [
    '517 names have several definitions, of which the longest is kept.',
    'Near-identical functions stand under other names, so scores over the whole catalogue have false misses; those over own lists do not.',
  ],
  sha256: {
    tools: '38f6dc5914d1af6424b17113752a019cd9ffe260ffe84c4387c8ee9ecf3c1f84',
    queries: '9ff97edc84bb7e0c18941ab25aa11927fad832ef9eec0e774976c59ed98e2f13',
  },
  convert,
};

function questionsPath(part: string): string {
  return `${FOLDER}/BFCL_v4_${part}.json`;
}

function answersPath(part: string): string {
  return `${FOLDER}/possible_answer/BFCL_v4_${part}.json`;
}

interface Question {
  readonly id: string;
  /** Turns of messages. */
  readonly question: readonly (readonly { readonly role: string; readonly content: string }[])[];
  readonly function: readonly SourceTool[];
}

interface SourceTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: NestedSchema;
}

interface Answer {
  readonly id: string;
  readonly ground_truth: readonly Readonly<Record<string, unknown>>[];
}

function convert(read: ReadText): ConvertedSet {
  const readQuestions = (part: string) => parseLines<Question>(read(questionsPath(part)));
  const questions = ANSWERED.flatMap(readQuestions);
  const answers = new Map(
    ANSWERED.flatMap((part) => parseLines<Answer>(read(answersPath(part)))).map(({ id, ground_truth }) => [
      id,
      ground_truth.flatMap((call) => Object.keys(call)),
    ]),
  );
  const listed = [...questions, ...UNANSWERED.flatMap(readQuestions)].flatMap(
    (question) => question.function,
  );
  const tools = listed.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: renameTypes(parameters) as ObjectSchema,
    group: name.includes('.') ? (name.split('.')[0] ?? null) : null,
  }));
  return {
    tools: longestDefinitions(tools).sort((one, other) => compareText(one.name, other.name)),
    queries: mergeQueries(
      questions.map(({ id, question, function: list }) => ({
        id,
        query: question
          .flat()
          .filter(({ role }) => role === 'user')
          .map(({ content }) => content)
          .join('\n'),
        gold: [...new Set(answers.get(id))],
        kind: 'request',
        ...ownList(list.map(({ name }) => name)),
      })),
    ),
  };
}
