import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../input-error.ts';
import type { SetTool } from './read-sets.ts';

/** A request with the tools that it comes with; without gold, none of them answers it. */
export interface Case {
  readonly text: string;
  readonly tools: readonly SetTool[];
  readonly gold: ReadonlySet<string>;
}

export interface CaseFile {
  readonly name: string;
  readonly cases: readonly Case[];
}

/**
 * Reads requests that no tool answers: of a folder, every `BFCL_*irrelevance.json` of
 * ShishirPatil/gorilla, and `tool_search_relevance.json` of nearai/ironclaw, which has answerable ones, too.
 *
 * @throws InputError for a folder with none of them.
 */
export function readUnanswerable(folder: string): CaseFile[] {
  if (!existsSync(folder)) throw new InputError(`no folder ${folder}`);
  const files = readdirSync(folder).flatMap((file): CaseFile[] => {
    const read = () => readFileSync(join(folder, file), 'utf8');
    if (/^BFCL_\w*irrelevance\.json$/.test(file))
      return [{ name: file.replace(/^BFCL_v\d+_|\.json$/g, ''), cases: casesOfBfcl(read()) }];
    return file === 'tool_search_relevance.json' ? [{ name: IRONCLAW, cases: casesOfIronClaw(read()) }] : [];
  });
  if (files.length === 0)
    throw new InputError(`${folder}: no BFCL_*irrelevance.json and no tool_search_relevance.json`);
  return files;
}

export const IRONCLAW = 'ironclaw';

interface BfclLine {
  readonly question: readonly (readonly { readonly role: string; readonly content: string }[])[];
  readonly function: readonly SetTool[];
}

function casesOfBfcl(text: string): Case[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const { question, function: tools } = JSON.parse(line) as BfclLine;
    const said = question.flat().filter(({ role }) => role === 'user');
    return { text: said.map(({ content }) => content).join('\n'), tools, gold: new Set() };
  });
}

interface IronClawFile {
  readonly tools: readonly SetTool[];
  readonly intents: readonly {
    readonly query: string;
    readonly relevance: Readonly<Record<string, number>>;
  }[];
}

function casesOfIronClaw(text: string): Case[] {
  const { tools, intents } = JSON.parse(text) as IronClawFile;
  return intents.map(({ query, relevance }) => ({
    text: query,
    tools,
    gold: new Set(Object.keys(relevance)),
  }));
}
