import type { Random } from '../random.ts';
import type { AnswerGrammar } from './answers/answer-grammar.ts';
import { anthropicAnswers } from './answers/anthropic-answers.ts';
import { converseAnswers, invokeAnswers } from './answers/bedrock-answers.ts';
import { geminiAnswers, geminiArrayAnswers } from './answers/gemini-answers.ts';
import { interactionsAnswers } from './answers/interactions-answers.ts';
import { ollamaAnswers } from './answers/ollama-answers.ts';
import { openaiAnswers } from './answers/openai-answers.ts';
import { responsesAnswers } from './answers/responses-answers.ts';

const GRAMMARS = {
  openai: openaiAnswers,
  responses: responsesAnswers,
  anthropic: anthropicAnswers,
  gemini: geminiAnswers,
  'gemini-array': geminiArrayAnswers,
  interactions: interactionsAnswers,
  ollama: ollamaAnswers,
  converse: converseAnswers,
  invoke: invokeAnswers,
} as const satisfies Readonly<Record<string, AnswerGrammar>>;

/** The provider whose response is imitated. */
export type AnswerShape = keyof typeof GRAMMARS;

export const ANSWER_SHAPES = Object.keys(GRAMMARS) as readonly AnswerShape[];

/** Input for generating the bodies of responses. `size` is the approximate maximum in bytes. */
export interface EventsInput {
  readonly random: Random;
  readonly shape: AnswerShape;
  readonly size: number;
  readonly searchToolName: string | undefined;
}

/** The writers of responses, by shape. */
export function grammarOf({ shape }: Pick<EventsInput, 'shape'>): AnswerGrammar {
  return GRAMMARS[shape];
}

/** The name that a hostile upstream calls: the search tool's, if known. */
export function nameOf({ searchToolName }: EventsInput): string {
  return searchToolName ?? 'tool_1';
}

/** Writes a short benign response, event by event. */
export function goodEvents(input: EventsInput): string[] {
  const grammar = grammarOf(input);
  const [before, behind] = grammar.around ?? ['', ''];
  const events = grammar.good.map((data) => grammar.write(data));
  return events.map((event, at) => {
    const start = at === 0 ? before : '';
    return `${start}${event}${at === events.length - 1 ? behind : ''}`;
  });
}

/** Writes an event with a value of the wrong kind. */
export function oddEvent(input: EventsInput, value: string): string {
  const grammar = grammarOf(input);
  return grammar.write(input.random.pick(grammar.odd(value)));
}

/** Writes the events that begin a call. */
export function callEvent(input: EventsInput, name: string, text: string): string {
  const grammar = grammarOf(input);
  const events = grammar.call({ index: input.random.below(3), name, text });
  return events.map((data) => grammar.write(data)).join('');
}

/** Writes an event that continues a call. */
export function argumentsEvent(input: EventsInput): string {
  const grammar = grammarOf(input);
  return grammar.write(grammar.more);
}

/** Writes a whole response with a harmful value. */
export function wholeMessage(input: EventsInput, value: string): string {
  const { random } = input;
  const grammar = grammarOf(input);
  const search = grammar.wholeCall(nameOf(input));
  const calls = random.pick(['', search, `${search},${search}`, `${search},${value}`, value]);
  return random.pick(grammar.wholes(value, calls));
}
