import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { CommandContext, Environment } from './redirect.ts';

/** The command line of a launch. */
export interface LaunchOptions {
  /** The command and its arguments. */
  readonly words: readonly string[];
  /** The file of settings; undefined for none. */
  readonly file: string | undefined;
  /** The goal of deferring; undefined for that of the settings. */
  readonly goal?: string | undefined;
  /** Whether the command is run without the proxy if the proxy cannot be used. */
  readonly orDirect: boolean;
}

/** A command line, or the text to print instead. */
export type ReadOptions =
  | { readonly ok: true; readonly options: LaunchOptions }
  | { readonly ok: false; readonly isHelp: boolean; readonly text: string };

/** Reads a command line: options precede the command. */
export function readOptions(argv: readonly string[], usage: string): ReadOptions {
  let file: string | undefined;
  let goal: string | undefined;
  let orDirect = false;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === '--help' || word === '-h') return { ok: false, isHelp: true, text: usage };
    if (word === '--or-direct') orDirect = true;
    else if (word === '--goal' && argv[at + 1] !== undefined) goal = argv[++at];
    else if (word === '--config' && argv[at + 1] !== undefined) file = argv[++at];
    else if (word.startsWith('-') && word !== '--') {
      return { ok: false, isHelp: false, text: `${word} is not an option, or its value is missing` };
    } else {
      const words = argv.slice(word === '--' ? at + 1 : at);
      if (words.length > 0)
        return { ok: true, options: { words, file, orDirect, ...(goal !== undefined && { goal }) } };
    }
  }
  return { ok: false, isHelp: false, text: 'there is no command to run' };
}

/** Returns the context in which a command runs: environment, home and working directory of this process. */
export function readPlace(): Omit<CommandContext, 'args'> {
  return {
    environment: process.env,
    home: homedir(),
    workingDirectory: process.cwd(),
    readText(path) {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * Returns the variables that a launched proxy reads: those of other services and of the command's tracing do
 * not concern it.
 */
export function proxyEnvironment(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(PROXY|WINNOW|OTEL)_|^PORT$/.test(name)),
  );
}
