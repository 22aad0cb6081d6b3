import { RolloutArm } from '@winnow/core';
import type { Spread } from '../counting/spread.ts';
import { savedShare, type Tokens, type ToolUse } from '../sections/tools.ts';
import type { Sections } from '../sections.ts';
import { formatCompact, formatCount, formatShare } from '../text/format.ts';
import type { Part, Table } from './cells.ts';

/** Returns the tools of requests, the deferred ones, and the tokens saved. */
export function toolsPart({ tools }: Sections): Part {
  const { changed, watched } = tools;
  const isKnown = changed.exchanges + watched.exchanges > 0;
  return {
    id: 'tools',
    title: 'Tools and tokens',
    sentences: isKnown
      ? deferringSentences(tools)
      : ['No request was read: all exchanges are in arm off, or were dropped.'],
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
    ...leftAloneSentences(changed),
  ];
}

/** Says what deferring would do where it was left out because of the expected bill. */
function leftAloneSentences({ leftAlone: { exchanges, freedTokens, bill } }: ToolUse): string[] {
  if (exchanges === 0) return [];
  const change = bill / exchanges - 1;
  const cost = `cost about ${formatShare(Math.abs(change))} ${change < 0 ? 'less' : 'more'}`;
  return [
    `${formatCount(exchanges)} exchanges were left alone: deferring would free ${formatCount(freedTokens / exchanges)} tokens of tools in each, and ${cost}. \`tools.goal: context\` defers anyway.`,
  ];
}

/** The tokens of tools in a request, the first thing to know; undefined where nothing was deferred. */
export function contextHeadline({ changed, watched }: Sections['tools']): string | undefined {
  const { goodDeferring, deferringTokens } = changed.goodDeferring > 0 ? changed : watched;
  const share = savedShare(deferringTokens);
  if (goodDeferring === 0 || share === undefined) return undefined;
  const [before, after] = [deferringTokens.before, deferringTokens.after].map((sum) =>
    formatCount(sum / goodDeferring),
  );
  const verb = changed.goodDeferring > 0 ? 'took' : 'would take';
  const change = share < 0 ? `${formatShare(-share)} more` : `${formatShare(share)} less`;
  return `Context: tools ${verb} ${after} tokens in an exchange in place of ${before} (${change}), over ${formatCount(goodDeferring)} exchanges with deferred tools.`;
}

function tokensTable({ changed, watched }: Sections['tools']): Table {
  const rows = [...tokenRows('arm full', changed), ...tokenRows('watched, would be', watched)];
  return {
    title: 'Tokens of tools, estimated',
    columns: ['Exchanges', 'Number', 'Before', 'After', 'Saved', 'Share'],
    rows,
    note: 'Estimated from bytes, over exchanges that ended with a 2xx response: a failed one saves nothing. Before: the one request that the client sent. After: all requests of the exchange together; for watched exchanges only the first one, to which a search would have added.',
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
    note: 'Total: over requests with tools. Kept, deferred, loaded: over exchanges that deferred. Loaded: deferred tools that were visible at the end.',
  };
}

function spreadRows(group: string, { total, kept, deferred, loaded }: ToolUse): string[][] {
  const named: readonly [string, Spread][] = [
    ['In all', total],
    ['Kept', kept],
    ['Deferred', deferred],
    ['Loaded', loaded],
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
    note: 'Whole prompts, including cached parts, over all requests of an exchange. Not every stream reports its usage, especially if nothing is altered. Compare arms only in partial, where sessions are assigned at random, and if about the same share of exchanges in each reports it.',
  };
}
