import { parseArgs } from 'node:util';
import type { Period } from './reading/read-records.ts';

/** The command line is wrong. */
export class UsageError extends Error {}

/** A command line that was understood. */
export interface Options {
  /** Files of records; `-` is standard input. */
  readonly sources: readonly string[];
  /** The file of the page; undefined for none. */
  readonly page?: string;
  /** A file of prices that goes over those that come with Winnow. */
  readonly prices?: string;
  readonly isJson: boolean;
  /** Whether only suggestions are printed. */
  readonly isSuggesting: boolean;
  readonly period: Period;
}

/** The default file of the page. */
const DEFAULT_PAGE = 'tool_discovery.html';

/** The text of `--help`. */
export const USAGE = `Usage: winnow-report FILE... [options]

Answers from the records of a proxy what a team asks before the next step of a rollout.

FILE is a tool_discovery.jsonl, rotated and gzipped ones too; - is standard input.

  --html FILE     where the page with plots goes (default ${DEFAULT_PAGE}; with --json or --suggest: none)
  --no-html       no page
  --since TIME    only exchanges that began at this time or later
  --until TIME    only exchanges that began before this time
  --prices FILE   prices of models, over those that come with Winnow (docs/operations/report.md)
  --suggest       print only the tools to keep visible, and those that are never called
  --json          print all numbers as JSON instead of tables
  --help          this text

TIME is a date (2026-11-20), a time (2026-11-20T08:00, universal time unless it has a zone), or how long ago (90m, 24h, 7d).`;

/**
 * Reads a command line; undefined when it asks for help. `now` is the time from which "how long ago" counts, in
 * milliseconds since 1970.
 */
export function readOptions(args: readonly string[], now: number): Options | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  if (positionals.length === 0)
    throw new UsageError('Name at least one file of records, or - for standard input.');
  if (values.html !== undefined && values['no-html']) {
    throw new UsageError('--html and --no-html contradict each other.');
  }
  if (values.prices === '') throw new UsageError('--prices needs the name of a file.');
  if (values.html === '') throw new UsageError('--html needs the name of a file.');
  const page = values.html ?? (values.json || values.suggest || values['no-html'] ? undefined : DEFAULT_PAGE);
  const since = readTime('--since', values.since, now);
  const until = readTime('--until', values.until, now);
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError('--since must be before --until.');
  }
  return {
    sources: positionals,
    ...(page !== undefined && { page }),
    ...(values.prices !== undefined && { prices: values.prices }),
    isJson: values.json,
    isSuggesting: values.suggest,
    period: { ...(since !== undefined && { since }), ...(until !== undefined && { until }) },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        html: { type: 'string' },
        'no-html': { type: 'boolean', default: false },
        since: { type: 'string' },
        until: { type: 'string' },
        prices: { type: 'string' },
        suggest: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    // All errors of parseArgs describe a problem of the command line.
    throw new UsageError((error as Error).message);
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([mhd])$/;
const DATE_OR_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function readTime(option: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ago = AGO.exec(text);
  if (ago !== null) return now - Number(ago[1]) * UNIT_MS[ago[2]!]!;
  const time = DATE_OR_TIME.test(text) ? Date.parse(inUniversalTime(text)) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(
      `${option}: "${text}" is not a time. Use 2026-11-20, 2026-11-20T08:00 or how long ago, such as 24h.`,
    );
  }
  return time;
}

/** Times of records are universal; one without a zone would else be read as that of whichever machine this runs on. */
function inUniversalTime(text: string): string {
  return text.includes('T') && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
}
