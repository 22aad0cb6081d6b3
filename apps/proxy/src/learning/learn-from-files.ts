import { createReadStream } from 'node:fs';
import type { StoredRecord, ToolListRecord } from '@winnow/core';
import {
  EvidenceTally,
  HarmTally,
  type Learned,
  LineSplitter,
  learn,
  parseRecord,
  type Suggestions,
  SuggestionsTally,
} from '@winnow/learning';
import { matcherOf } from '../config/name-pattern.ts';

/** An order to learn, as plain data. */
export interface LearningOrder {
  /** Files of records, the oldest first; missing ones are skipped. */
  readonly files: readonly string[];
  readonly before: Learned;
  /** Names or globs of tools that a person allows to be kept because they are needed. */
  readonly allow: readonly string[];
  readonly isGuarding: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Longest line to read, in bytes. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Learns from files of records, in bounded memory. */
export async function learnFromFiles({
  files,
  before,
  allow,
  isGuarding,
  now,
}: LearningOrder): Promise<Learned> {
  const evidence = new EvidenceTally();
  const harm = new HarmTally();
  await readRecords(files, [evidence, harm]);
  const findings = { evidence: evidence.result(), harm: harm.result() };
  return learn(findings, before, { isAllowed: matcherOf(allow), isGuarding, now });
}

/** Returns what files of records suggest, in bounded memory. */
export async function suggestFromFiles(files: readonly string[]): Promise<Suggestions[]> {
  const suggestions = new SuggestionsTally();
  await readRecords(files, [suggestions]);
  return suggestions.result();
}

interface Tally {
  add(record: StoredRecord): void;
  addList?(list: ToolListRecord): void;
}

async function readRecords(files: readonly string[], tallies: readonly Tally[]): Promise<void> {
  const take = (lines: readonly string[]) => {
    for (const line of lines) {
      const parsed = parseRecord(line);
      if (!parsed.ok) continue;
      for (const tally of tallies) {
        if (parsed.list === undefined) tally.add(parsed.record);
        else tally.addList?.(parsed.list);
      }
    }
  };
  for (const file of files) await readLines(file, take);
}

async function readLines(file: string, take: (lines: readonly string[]) => void): Promise<void> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  try {
    for await (const chunk of createReadStream(file)) take(splitter.push(chunk as Buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  take(splitter.end());
}
