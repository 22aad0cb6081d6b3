import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A real provider's response in a format that Winnow reads. */
export interface Recording {
  /** Its path within the folder; with a number if the file contains several. */
  readonly name: string;
  readonly format:
    | 'openai-chat'
    | 'openai-responses'
    | 'anthropic-messages'
    | 'gemini'
    | 'gemini-interactions'
    | 'bedrock-converse';
  readonly isStream: boolean;
  /** The data of each event of a stream, or the body. */
  readonly data: readonly string[];
}

type Value = Readonly<Record<string, unknown>>;

/**
 * Returns the recordings below a folder, ordered by name: `X.chunks.txt` has the JSON of one event per line,
 * `X.json` a whole body. Omits unknown formats and responses that do not come from a model.
 */
export function readRecordings(folder: string): Recording[] {
  return globSync('**/*.{chunks.txt,json}', { cwd: folder })
    .sort()
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      return path.endsWith('.json') ? readWhole(path, text) : readStreams(path, text);
    });
}

function readWhole(path: string, text: string): Recording[] {
  const body = JSON.parse(text) as Value;
  const format = formatOf(body);
  return format === undefined ? [] : [{ name: path, format, isStream: false, data: [text] }];
}

function formatOf(body: Value): Recording['format'] | undefined {
  if (body.type === 'message') return 'anthropic-messages';
  if (body.object === 'response') return 'openai-responses';
  if (Array.isArray(body.candidates)) return 'gemini';
  if (body.object === 'interaction') return 'gemini-interactions';
  if (typeof body.stopReason === 'string' && body.output !== undefined) return 'bedrock-converse';
  return isChat(body) ? 'openai-chat' : undefined;
}

/** Some files are broken and contain no events. */
function parse(line: string): Value {
  try {
    return JSON.parse(line) as Value;
  } catch {
    return {};
  }
}

/** Some files contain several responses in sequence. */
function readStreams(path: string, text: string): Recording[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const events = lines.map(parse);
  if (events[0] === undefined) return [];
  // The end marker of a stream is not JSON, and was not recorded.
  if (isChat(events[0]))
    return [{ name: path, format: 'openai-chat', isStream: true, data: [...lines, '[DONE]'] }];
  if (Array.isArray(events[0].candidates)) {
    return [{ name: path, format: 'gemini', isStream: true, data: lines }];
  }
  if (events[0].event_type === 'interaction.created') {
    return [{ name: path, format: 'gemini-interactions', isStream: true, data: [...lines, '[DONE]'] }];
  }
  // Each event is a member of an object, named after its frame.
  if ('messageStart' in events[0] || 'contentBlockDelta' in events[0] || 'contentBlockStart' in events[0]) {
    return [{ name: path, format: 'bedrock-converse', isStream: true, data: lines }];
  }
  const format = FORMAT_OF_START.get(events[0].type);
  if (format === undefined) return [];
  const isStart = (at: number) => at === 0 || ENDS.has(events[at - 1]!.type);
  const starts = lines.flatMap((_, at) => (isStart(at) ? [at] : []));
  return starts.map((start, number) => ({
    name: starts.length === 1 ? path : `${path} (${number + 1})`,
    format,
    isStream: true,
    data: lines.slice(start, starts[number + 1]),
  }));
}

const FORMAT_OF_START: ReadonlyMap<unknown, Recording['format']> = new Map([
  ['message_start', 'anthropic-messages'],
  ['response.created', 'openai-responses'],
]);

const ENDS: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** Other APIs of the same vendors have choices of texts, not of messages. */
function isChat({ choices, object }: Value): boolean {
  if (!Array.isArray(choices)) return false;
  return choices.length === 0
    ? object === 'chat.completion.chunk' || object === ''
    : choices.every(hasMessage);
}

function hasMessage(choice: Value): boolean {
  return 'delta' in choice || 'message' in choice;
}
