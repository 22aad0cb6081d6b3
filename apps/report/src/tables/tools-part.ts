import { RolloutArm } from '@winnow/contract';
import type { Spread } from '../counting/spread.ts';
import { savedShare, type Tokens, type ToolUse } from '../sections/tools.ts';
import type { Sections } from '../sections.ts';
import { formatCompact, formatCount, formatShare } from '../text/format.ts';
import type { Part, Table } from './part.ts';

/** Returns the tools of requests, the deferred ones, and the tokens saved. */
export function toolsPart({ tools }: Sections): Part {
  const { changed, watched } = tools;
  const isKnown = changed.exchanges + watched.exchanges > 0;
  return {
    id: 'tools',
    title: 'Tools and tokens',
    sentences: isKnown
      ? deferringSentences(tools)
      : ['No request was read: all exchanges are of arm off, or were dropped.'],
    tables: [...(isKnown ? [tokensTable(tools), toolsTable(tools)] : []), usageTable(tools)],
  };
}

function deferringSentences({ changed, watched }: Sections['tools']): string[] {
  const sentence = ({ exchanges, deferring }: ToolUse, what: string) =>
    exchanges === 0
      ? []
      : [
          `${formatCount(deferring)} of ${formatCount(exchanges)} ${what} (${formatShare(deferring / exchanges)}).`,
        ];
  return [
    ...sentence(changed, 'exchanges of arm full deferred tools'),
    ...sentence(watched, 'watched exchanges that were read would have deferred tools'),
  ];
}

function tokensTable({ changed, watched }: Sections['tools']): Table {
  const rows = [...tokenRows('arm full', changed), ...tokenRows('watched, would be', watched)];
  return {
    title: 'Tokens of tools, estimated',
    columns: ['Exchanges', 'Number', 'Before', 'After', 'Saved', 'Share'],
    rows,
    note: 'Estimated from bytes, over exchanges that ended with a 2xx response: one that failed saves nothing. Before: the one request that the client sent. After: all requests of the exchange together; for watched exchanges the first one alone, as a search would have added to it.',
  };
}

function tokenRows(group: string, { good, goodDeferring, tokens, deferringTokens }: ToolUse): string[][] {
  if (good === 0) return [];
  return [
    tokenRow(`All, ${group}`, good, tokens),
    tokenRow(`Deferring, ${group}`, goodDeferring, deferringTokens),
  ];
}

/** Three digits are all that an estimate has. */
function tokenRow(label: string, exchanges: number, tokens: Tokens): string[] {
  const share = savedShare(tokens);
  return [
    label,
    formatCount(exchanges),
    formatCompact(tokens.before),
    formatCompact(tokens.after),
    formatCompact(tokens.before - tokens.after),
    share === undefined ? '' : formatShare(share),
  ];
}

function toolsTable({ changed, watched }: Sections['tools']): Table {
  return {
    title: 'Tools per request',
    columns: ['Tools', 'Exchanges', 'Mean', 'p50', 'p95', 'Most'],
    rows: [...spreadRows('arm full', changed), ...spreadRows('watched', watched)],
    note: 'In all: over requests that bring tools. Kept, deferred, loaded: over exchanges that deferred. Loaded: of the deferred ones, those visible at the end. Newly loaded: per exchange whose searches were answered, the tools that they made visible.',
  };
}

function spreadRows(group: string, { total, kept, deferred, loaded, newlyLoaded }: ToolUse): string[][] {
  const named: readonly [string, Spread][] = [
    ['In all', total],
    ['Kept', kept],
    ['Deferred', deferred],
    ['Loaded', loaded],
    ['Newly loaded', newlyLoaded],
  ];
  return (
    named
      // Nothing is loaded where nothing is altered.
      .filter(([label, { count }]) => count > 0 && (label !== 'Loaded' || group === 'arm full'))
      .map(([label, { count, mean, p50, p95, max }]) => [
        `${label}, ${group}`,
        formatCount(count),
        mean.toFixed(1),
        ...[p50, p95, max].map(formatCount),
      ])
  );
}

function usageTable({ usage }: Sections['tools']): Table {
  const rows = RolloutArm.options.flatMap((arm) => {
    const sum = usage[arm];
    if (sum === undefined) return [];
    const cells = [sum.exchanges, sum.inputTokens / sum.exchanges, sum.outputTokens / sum.exchanges];
    return [[arm, ...cells.map(formatCount)]];
  });
  return {
    title: 'Tokens per exchange, as the upstreams counted',
    columns: ['Arm', 'Exchanges with usage', 'Input, mean', 'Output, mean'],
    rows,
    note: 'Whole prompts, cached parts included, over all requests of an exchange. Not every stream tells its usage, least of all where nothing is altered. Arms compare fairly only where chance chose the sessions (with partial) and about as many exchanges of each tell it.',
  };
}
