import { spawn } from 'node:child_process';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { answerMcp, createMcpScript, LIST_CHANGED, type McpMessage, type McpScript } from './mcp-script.ts';

/** A scripted MCP server over standard input and output: `node mcp-process.ts '{"mood":"well"}'`. See `McpProcessScript`. */

/** Additional behaviour of a server that runs as a process. */
export interface McpProcessScript extends Partial<McpScript> {
  /** Ends if its first message is not `initialize`, as old servers do. */
  readonly isStrict?: boolean;
  /** Ends after it has sent this many lists. */
  readonly listsBeforeEnd?: number;
  /** Ignores SIGTERM and the end of its input. */
  readonly isStubborn?: boolean;
  /** Starts another process with the same behaviour, as `npx` does. */
  readonly isStarter?: boolean;
  /** Text to write at the start to stderr, and to stdout, where it is not a valid message. */
  readonly says?: string;
  /** Lists a tool for each of these variables; its description is the variable's value. */
  readonly showsEnvironment?: readonly string[];
}

const options = JSON.parse(process.argv[2] ?? '{}') as McpProcessScript;
const { isStubborn = false, isStarter = false, says, isStrict = false, listsBeforeEnd = Infinity } = options;

if (isStubborn) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
if (isStarter) {
  const rest = JSON.stringify({ ...options, isStarter: false });
  spawn(process.execPath, [process.argv[1]!, rest], { stdio: 'inherit' });
} else serve();

function serve(): void {
  const shown = (options.showsEnvironment ?? []).map((name) => ({
    name,
    description: env[name] ?? '(not set)',
    inputSchema: { type: 'object' },
  }));
  const script = createMcpScript(options);
  if (options.showsEnvironment !== undefined) script.tools = shown;
  if (says !== undefined) {
    console.error(says);
    console.log(says);
  }
  let [isFirst, lists] = [true, 0];
  const write = (message: McpMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);
  createInterface(process.stdin).on('line', (line) => {
    const message = JSON.parse(line) as McpMessage;
    if (isFirst && isStrict && message.method !== 'initialize') process.exit(1);
    isFirst = false;
    if (message.method === 'tools/list' && script.mood === 'dies') process.exit(1);
    if (message.method === 'tools/list' && script.mood === 'garbage') return void console.log('Bad gateway');
    const answer = answerMcp(message, script);
    if (answer === 'nothing') return;
    answer.forEach(write);
    if (script.mood === 'floods') for (let n = 0; n < 200; n++) write(LIST_CHANGED);
    if (message.method === 'tools/list' && ++lists >= listsBeforeEnd) process.exit(0);
  });
  if (!isStubborn) process.stdin.on('end', () => process.exit(0));
}
