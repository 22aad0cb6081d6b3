import type { Report } from '../report.ts';
import { suggestionsPart } from '../suggestions.ts';
import { fallbacksPart } from './fallbacks-part.ts';
import { latencyPart } from './latency-part.ts';
import { moneyPart } from './money-part.ts';
import type { Part } from './part.ts';
import { readingPart } from './reading-part.ts';
import { searchesPart } from './searches-part.ts';
import { sessionsPart } from './sessions-part.ts';
import { toolCostsPart } from './tool-costs-part.ts';
import { toolsPart } from './tools-part.ts';
import { trafficPart } from './traffic-part.ts';
import { watchingPart } from './watching-part.ts';

/** Returns all parts of a report, the most important for a decision first, without empty tables. */
export function partsOf(report: Report): Part[] {
  if (report.traffic.exchanges === 0) return [readingPart(report)];
  const parts = [
    moneyPart(report),
    report.suggestions.length > 0 ? suggestionsPart(report.suggestions) : undefined,
    watchingPart(report),
    toolsPart(report),
    toolCostsPart(report),
    searchesPart(report),
    fallbacksPart(report),
    latencyPart(report),
    trafficPart(report),
    sessionsPart(report),
    readingPart(report),
  ];
  const told = parts.filter((part) => part !== undefined);
  return told.map((part) => ({ ...part, tables: part.tables.filter(({ rows }) => rows.length > 0) }));
}
