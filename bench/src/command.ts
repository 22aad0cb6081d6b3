import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { InputError } from './input-error.ts';
import { type Machine, machineLine } from './machine.ts';
import { type Table, toMarkdown, toPlainText } from './table.ts';

/** Runs a command. An error of the user ends it with one line on standard error and exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Parses arguments like `parseArgs`. A mistake throws an {@link InputError} that ends in the usage line. */
export function readArguments<Config extends ParseArgsConfig>(config: Config, usage: string) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new InputError(`${(error as Error).message}\nusage: ${usage}`);
  }
}

/** Shows the progress of a long run on standard error. */
export function showProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The output of a finished bench. */
export interface Results {
  readonly title: string;
  readonly date: string;
  readonly machine: Machine;
  /** Notes about the run, one sentence each. */
  readonly notes?: readonly string[];
  /** The command that writes the page: its name and options, without `npm run`. */
  readonly command: string;
  readonly tables: readonly Table[];
  /** The table of the page for `--markdown`: one for each command. */
  readonly page: Table;
  /** The object for `--json`. */
  readonly json: unknown;
}

/** Prints the tables and writes the requested files. */
export function publish(
  results: Results,
  files: { json?: string | undefined; markdown?: string | undefined },
): void {
  const { title, command, notes = [], tables, page, json } = results;
  const measuredOn = machineLine(results.machine, results.date);
  process.stdout.write(`${[title, measuredOn, ...notes, '', ...tables.map(toPlainText)].join('\n')}\n`);
  if (files.json !== undefined) writeTo(files.json, `${JSON.stringify(json)}\n`);
  if (files.markdown !== undefined) {
    writeFileSync(
      files.markdown,
      [
        `# ${title}`,
        '',
        [`${measuredOn}.`, `\`npm run ${command}\`.`, ...notes].join(' '),
        '',
        toMarkdown(page),
      ].join('\n'),
    );
  }
}

/** Writes a file and creates missing folders. */
function writeTo(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
