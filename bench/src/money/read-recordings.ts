import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../input-error.ts';
import type { SetTool } from '../retrieval/read-sets.ts';
import { readSets } from '../retrieval/read-sets.ts';
import { type ConversationLine, type RecordedCall, uniqueBy } from '../sets/set-source.ts';
import { turnsOfMessages } from '../sets/turns-of-messages.ts';

/** Recorded conversations with the tools that they call, and further tools to fill catalogues with. */
export interface Recordings {
  readonly name: string;
  readonly conversations: readonly ConversationLine[];
  readonly tools: readonly SetTool[];
  readonly others: readonly SetTool[];
}

const nameOf = ({ name }: SetTool) => name;

const FILE = 'conversations.jsonl';

/**
 * Reads all recorded conversations below a folder: one folder for each set, with `conversations.jsonl` and
 * `tools.jsonl`, as `fetch:sets` writes them. A line may also be a history in the Chat format. A tool that is
 * called and not defined gets a definition from its calls.
 *
 * @param examples the folder that has the example catalogue.
 * @param only names of the folders to read; default: all.
 * @throws InputError with file and line for a line of another shape.
 */
export function readRecordings(directory: string, examples: string, only?: readonly string[]): Recordings[] {
  const names = readdirSync(directory).filter((name) => existsSync(join(directory, name, FILE)));
  const missing = only?.find((name) => !names.includes(name));
  if (missing !== undefined) throw new InputError(`no recordings "${missing}" in ${directory}`);
  const fill = [...readSets(examples, ['examples']), ...publicSets(directory)].flatMap(({ tools }) => tools);
  return (only ?? names.sort()).map((name) => {
    const conversations = readLines(join(directory, name, FILE), conversationIn).map(withCallableNames);
    const file = join(directory, name, 'tools.jsonl');
    const defined = existsSync(file) ? readLines(file, (line) => Tool.safeParse(line)) : [];
    const tools = uniqueBy([...defined.map(asCallable), ...toolsCalledBy(conversations)], nameOf);
    const own = new Set(tools.map((tool) => tool.name));
    const others = uniqueBy(
      fill.filter((tool) => !own.has(tool.name) && isCallable(tool.name)),
      nameOf,
    );
    return { name, conversations, tools, others };
  });
}

function publicSets(directory: string) {
  try {
    return readSets(directory);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

const Call = z.object({ name: z.string(), input: z.record(z.string(), z.unknown()), result: z.string() });
const Turn = z.object({
  user: z.string(),
  steps: z.array(z.array(Call).min(1)),
  answer: z.string().transform((answer) => answer || 'Done.'),
});
const Message = z.object({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
});
const Conversation = z.object({ id: z.string(), turns: z.array(Turn).min(1) });
const History = z
  .object({ id: z.string().optional(), messages: z.array(Message) })
  .transform(({ id = '', messages }): ConversationLine => ({ id, turns: turnsOfMessages(messages) }));
const Tool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((parameters) => parameters ?? undefined),
});

function conversationIn(line: object): z.ZodSafeParseResult<ConversationLine> {
  return 'messages' in line ? History.safeParse(line) : Conversation.safeParse(line);
}

type ReadLine<Line> = (line: object) => z.ZodSafeParseResult<Line>;

function readLines<Line>(file: string, read: ReadLine<Line>): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      if (text.trim() === '') return [];
      const line = readLine(text, read);
      if (line.error === undefined) return [line.data];
      throw new InputError(`${file}:${at + 1}: ${line.error}`);
    });
}

function readLine<Line>(text: string, read: ReadLine<Line>) {
  try {
    const { data, error } = read(Object(JSON.parse(text)));
    return error === undefined ? { data: data as Line } : { error: z.prettifyError(error) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Whether every provider takes the name; those of some sets have blanks and slashes. */
function isCallable(name: string): boolean {
  return /^[A-Za-z][\w-]{0,63}$/.test(name);
}

function callableName(name: string): string {
  return isCallable(name) ? name : `t_${name.replaceAll(/[^\w-]/g, '_')}`.slice(0, 64);
}

function asCallable(tool: SetTool): SetTool {
  return { ...tool, name: callableName(tool.name) };
}

function withCallableNames({ id, turns }: ConversationLine): ConversationLine {
  const renamed = (call: RecordedCall) => ({ ...call, name: callableName(call.name) });
  return {
    id,
    turns: turns.map((turn) => ({ ...turn, steps: turn.steps.map((step) => step.map(renamed)) })),
  };
}

/** Returns a definition of each tool that is called: the words of its name, and the arguments of its calls. */
function toolsCalledBy(conversations: readonly ConversationLine[]): SetTool[] {
  const calls = conversations.flatMap(({ turns }) => turns.flatMap(({ steps }) => steps.flat()));
  const named = Map.groupBy(calls, ({ name }) => name);
  return [...named].map(([name, made]) => ({
    name,
    description: name.replaceAll(/[_-]+/g, ' '),
    parameters: { type: 'object', properties: Object.assign({}, ...made.map(({ input }) => typesOf(input))) },
  }));
}

function typesOf(input: RecordedCall['input']) {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, { type: typeOf(value) }]));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'string' : typeof value;
}

/**
 * Returns a catalogue of this size: the recorded tools, spread among others.
 *
 * @throws InputError if there are too few others, or too many recorded ones.
 */
export function makeCatalogue({ name, tools, others }: Recordings, size: number): SetTool[] {
  const wanted = size - tools.length;
  if (wanted < 0) throw new InputError(`${name} calls ${tools.length} tools, which are more than ${size}`);
  if (others.length < wanted) {
    throw new InputError(`${size} tools need ${wanted} more than the recorded ones: fetch toollinkos, too`);
  }
  const catalogue = others.slice(0, wanted);
  const gap = size / tools.length;
  for (const [at, tool] of tools.entries()) catalogue.splice(Math.floor(at * gap), 0, tool);
  return catalogue;
}
