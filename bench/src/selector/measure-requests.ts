import type { Tool } from '@winnow/core';
import { buildCatalogue, noPause, selectTools, type ToolQuery } from '@winnow/ranking';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import {
  type BenchCatalogue,
  bindingBody,
  type CatalogueSource,
  catalogIdBody,
  changedBody,
  fourPatternsBody,
  inlineBody,
  queryOf,
} from './catalogue.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { MeasuredSelector, SearchClient } from './search-client.ts';

/** Durations of each kind of request over HTTP, in milliseconds. */
export interface HttpTimes {
  /** Tools that are new to the selector. */
  readonly cold: TimeSummary;
  /** The same tools again, with another pattern. */
  readonly warm: TimeSummary;
  /** The same tools except for one changed tool. */
  readonly changed: TimeSummary;
  /** The catalogue by its id. */
  readonly catalogId: TimeSummary;
  /** The same with four patterns in one search. */
  readonly fourPatterns: TimeSummary;
}

/** Durations of requests at one size, in milliseconds, measured alternately. */
export interface RequestTimes {
  readonly size: number;
  readonly bodyBytes: number;
  /** `JSON.parse` of the text of the cold request. */
  readonly jsonParse: TimeSummary;
  readonly winnow: HttpTimes;
  /** The same requests to the selector of another checkout. */
  readonly baseline: HttpTimes | undefined;
  /** In this process: parse, read, index and rank the cold request. */
  readonly inProcessCold: TimeSummary;
  /** In this process: one query on the built index. */
  readonly inProcessRank: TimeSummary;
}

/** Duration and number of measurements. */
export interface Effort {
  readonly seconds: number;
  readonly fewest: number;
  readonly most: number;
}

/** Fast requests are repeated within a turn: a single one is too short to be measured next to a cold one. */
const QUICK_PER_TURN = 5;
/** Turns that are not counted, in which both processes compile their hot paths. */
const WARM_UP_TURNS = 3;

type HttpSamples = Record<keyof HttpTimes, number[]>;

interface Samples {
  readonly jsonParse: number[];
  readonly inProcessCold: number[];
  readonly inProcessRank: number[];
  readonly http: ReadonlyMap<MeasuredSelector['name'], HttpSamples>;
}

/**
 * Measures every kind of request at one size. Each turn has a new catalogue and times each kind on it, with
 * every selector.
 */
export async function measureRequests(
  selectors: readonly MeasuredSelector[],
  source: CatalogueSource,
  size: number,
  effort: Effort,
): Promise<RequestTimes> {
  const thrownAway = noSamples(selectors);
  for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) {
    await measureTurn(selectors, source.next(size), thrownAway);
  }
  const samples = noSamples(selectors);
  const deadline = performance.now() + effort.seconds * 1_000;
  let bodyBytes = 0;
  for (let turn = 0; turn < effort.most; turn += 1) {
    if (turn >= effort.fewest && performance.now() > deadline) break;
    // The first selector in one turn is the last in the next.
    const order = turn % 2 === 0 ? selectors : selectors.toReversed();
    bodyBytes = await measureTurn(order, source.next(size), samples);
  }
  return { size, bodyBytes, ...summarizeAll(samples) };
}

async function measureTurn(
  selectors: readonly MeasuredSelector[],
  catalogue: BenchCatalogue,
  samples: Samples,
): Promise<number> {
  const body = inlineBody(catalogue, 0);
  const bodies: TurnBodies = {
    cold: Buffer.from(body),
    warm: eachQuickTurn((turn) => Buffer.from(inlineBody(catalogue, turn))),
    changed: eachQuickTurn((turn) => Buffer.from(changedBody(catalogue, turn))),
    binding: Buffer.from(bindingBody(catalogue)),
    byId: eachQuickTurn((turn) => Buffer.from(catalogIdBody(catalogue, turn))),
    four: eachQuickTurn((turn) => Buffer.from(fourPatternsBody(catalogue, turn))),
  };
  collectGarbage();

  samples.jsonParse.push(timeOf(() => JSON.parse(body)));
  for (const { name, client } of selectors) await measureHttp(client, bodies, samples.http.get(name)!);
  await measureInProcess(catalogue, body, samples);
  return bodies.cold.length;
}

/** The requests of one turn, prepared. */
interface TurnBodies {
  readonly cold: Buffer;
  readonly warm: readonly Buffer[];
  readonly changed: readonly Buffer[];
  readonly binding: Buffer;
  readonly byId: readonly Buffer[];
  readonly four: readonly Buffer[];
}

function eachQuickTurn<Value>(make: (turn: number) => Value): Value[] {
  return Array.from({ length: QUICK_PER_TURN }, (_, position) => make(position + 1));
}

async function measureHttp(client: SearchClient, bodies: TurnBodies, samples: HttpSamples): Promise<void> {
  samples.cold.push((await client.search(bodies.cold)).ms);
  for (const body of bodies.warm) samples.warm.push((await client.search(body)).ms);
  for (const body of bodies.changed) samples.changed.push((await client.search(body)).ms);
  await client.search(bodies.binding);
  for (const [at, body] of bodies.byId.entries()) {
    samples.catalogId.push((await client.search(body)).ms);
    samples.fourPatterns.push((await client.search(bodies.four[at]!)).ms);
  }
}

async function measureInProcess(catalogue: BenchCatalogue, body: string, samples: Samples): Promise<void> {
  const startedAt = performance.now();
  const { pattern, tools } = JSON.parse(body) as { pattern: string; tools: Tool[] };
  const built = buildCatalogue(tools);
  await selectTools(built, queryFor(pattern), noPause);
  samples.inProcessCold.push(performance.now() - startedAt);

  for (let turn = 1; turn <= QUICK_PER_TURN; turn += 1) {
    const askedAt = performance.now();
    await selectTools(built, queryFor(queryOf(catalogue, turn)), noPause);
    samples.inProcessRank.push(performance.now() - askedAt);
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

function noSamples(selectors: readonly MeasuredSelector[]): Samples {
  const none = (): HttpSamples => ({ cold: [], warm: [], changed: [], catalogId: [], fourPatterns: [] });
  const http = new Map(selectors.map(({ name }): [MeasuredSelector['name'], HttpSamples] => [name, none()]));
  return { jsonParse: [], inProcessCold: [], inProcessRank: [], http };
}

function summarizeAll({ http, ...own }: Samples): Omit<RequestTimes, 'size' | 'bodyBytes'> {
  const baseline = http.get('baseline');
  return {
    jsonParse: summarizeTimes(own.jsonParse),
    inProcessCold: summarizeTimes(own.inProcessCold),
    inProcessRank: summarizeTimes(own.inProcessRank),
    winnow: summarizeHttp(http.get('winnow')!),
    baseline: baseline && summarizeHttp(baseline),
  };
}

function summarizeHttp({ cold, warm, changed, catalogId, fourPatterns }: HttpSamples): HttpTimes {
  return {
    cold: summarizeTimes(cold),
    warm: summarizeTimes(warm),
    changed: summarizeTimes(changed),
    catalogId: summarizeTimes(catalogId),
    fourPatterns: summarizeTimes(fourPatterns),
  };
}
