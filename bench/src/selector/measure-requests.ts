import type { Tool } from '@winnow/contract';
import { buildCatalogue, noPause, RANKERS, selectTools, type ToolQuery } from '@winnow/ranking';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import {
  type BenchCatalogue,
  bindingBody,
  type CatalogueSource,
  catalogIdBody,
  inlineBody,
  queryOf,
} from './catalogue.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { SearchClient } from './search-client.ts';

/** What one kind of request costs at one size, in milliseconds; every time was taken beside the others, in turn. */
export interface RequestTimes {
  readonly size: number;
  readonly bodyBytes: number;
  /** `JSON.parse` of the text of the cold request. */
  readonly jsonParse: TimeSummary;
  /** Over HTTP: tools that the selector has never seen. */
  readonly cold: TimeSummary;
  /** Over HTTP: the same tools again, with another pattern. */
  readonly warm: TimeSummary;
  /** Over HTTP: the catalogue by its id. */
  readonly catalogId: TimeSummary;
  /** In this process: parse, read, index and rank the cold request. */
  readonly inProcessCold: TimeSummary;
  /** In this process: one query on the built index. */
  readonly inProcessRank: TimeSummary;
}

/** How long and how often to measure. */
export interface Effort {
  readonly seconds: number;
  readonly fewest: number;
  readonly most: number;
}

/** Quick requests are repeated within a turn: one is too short to be alone beside a cold one. */
const QUICK_PER_TURN = 5;
/** Turns whose times are thrown away: both processes compile their hot paths in them. */
const WARM_UP_TURNS = 3;

type Times = Record<Exclude<keyof RequestTimes, 'size' | 'bodyBytes'>, number[]>;

/** Measures every kind of request at one size. Each turn has a catalogue never seen before and times each kind on it. */
export async function measureRequests(
  client: SearchClient,
  source: CatalogueSource,
  size: number,
  effort: Effort,
): Promise<RequestTimes> {
  const times = noTimes();
  for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await measureTurn(client, source.next(size), noTimes());

  const deadline = performance.now() + effort.seconds * 1_000;
  let bodyBytes = 0;
  for (let turn = 0; turn < effort.most; turn += 1) {
    if (turn >= effort.fewest && performance.now() > deadline) break;
    bodyBytes = await measureTurn(client, source.next(size), times);
  }
  return { size, bodyBytes, ...summarizeAll(times) };
}

async function measureTurn(client: SearchClient, catalogue: BenchCatalogue, times: Times): Promise<number> {
  const body = inlineBody(catalogue, 0);
  const bytes = Buffer.from(body);
  collectGarbage();

  times.jsonParse.push(timeOf(() => JSON.parse(body)));
  times.cold.push((await client.search(bytes)).ms);
  for (let turn = 1; turn <= QUICK_PER_TURN; turn += 1) {
    times.warm.push((await client.search(Buffer.from(inlineBody(catalogue, turn)))).ms);
  }
  await measureById(client, catalogue, times);
  await measureInProcess(catalogue, body, times);
  return bytes.length;
}

async function measureById(client: SearchClient, catalogue: BenchCatalogue, times: Times): Promise<void> {
  await client.search(Buffer.from(bindingBody(catalogue)));
  for (let turn = 1; turn <= QUICK_PER_TURN; turn += 1) {
    times.catalogId.push((await client.search(Buffer.from(catalogIdBody(catalogue, turn)))).ms);
  }
}

async function measureInProcess(catalogue: BenchCatalogue, body: string, times: Times): Promise<void> {
  const startedAt = performance.now();
  const { pattern, tools } = JSON.parse(body) as { pattern: string; tools: Tool[] };
  const built = buildCatalogue(tools, RANKERS.bm25);
  await selectTools(built, queryFor(pattern), noPause);
  times.inProcessCold.push(performance.now() - startedAt);

  for (let turn = 1; turn <= QUICK_PER_TURN; turn += 1) {
    const askedAt = performance.now();
    await selectTools(built, queryFor(queryOf(catalogue, turn)), noPause);
    times.inProcessRank.push(performance.now() - askedAt);
  }
}

function queryFor(pattern: string): ToolQuery {
  return { pattern, topK: 5, alwaysKeep: [], searchType: 'auto' };
}

function timeOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function noTimes(): Times {
  return { jsonParse: [], cold: [], warm: [], catalogId: [], inProcessCold: [], inProcessRank: [] };
}

function summarizeAll(times: Times): Record<keyof Times, TimeSummary> {
  return {
    jsonParse: summarizeTimes(times.jsonParse),
    cold: summarizeTimes(times.cold),
    warm: summarizeTimes(times.warm),
    catalogId: summarizeTimes(times.catalogId),
    inProcessCold: summarizeTimes(times.inProcessCold),
    inProcessRank: summarizeTimes(times.inProcessRank),
  };
}
