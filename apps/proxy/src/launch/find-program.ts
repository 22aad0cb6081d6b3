import { basename } from 'node:path';

/** Commands that run the program that their first argument names. */
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'node', 'bun', 'env']);

/** Options of runners that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-p', '--package', '--from', '--with', '-u']);

/** The programs of packages that are called otherwise. */
const PROGRAM_OF_PACKAGE: Readonly<Record<string, string>> = {
  '@anthropic-ai/claude-code': 'claude',
  '@openai/codex': 'codex',
  '@google/gemini-cli': 'gemini',
  'opencode-ai': 'opencode',
  '@github/copilot': 'copilot',
  '@qwen-code/qwen-code': 'qwen',
};

/** A program within a command. */
export interface FoundProgram {
  /** Its name without a path, an ending and a version. */
  readonly name: string;
  /** Its place among the words. */
  readonly at: number;
}

/** Finds the program that a command runs, also behind `npx` and the like. */
export function findProgram(words: readonly string[]): FoundProgram {
  if (!RUNNERS.has(nameOf(words[0] ?? ''))) return { name: nameOf(words[0] ?? ''), at: 0 };
  let at = 1;
  while (at < words.length - 1 && (words[at]!.startsWith('-') || /^\w+=/.test(words[at]!))) {
    at += WITH_VALUE.has(words[at]!) ? 2 : 1;
  }
  return { name: nameOf(words[at] ?? ''), at };
}

function nameOf(word: string): string {
  const unversioned = word.replace(/(?<=.)@[^/]*$/, '');
  return PROGRAM_OF_PACKAGE[unversioned] ?? basename(unversioned).replace(/\.(exe|cmd|[cm]?js)$/, '');
}
