import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { bindingBody, type CatalogueSource, catalogIdBody, inlineBody } from './catalogue.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { MeasuredSelector, SearchClient } from './search-client.ts';

/** Durations of concurrent requests, in milliseconds. */
export interface LoadTimes {
  readonly what: string;
  /** The selector's checkout; this checkout for a server that only receives. */
  readonly selector: MeasuredSelector['name'];
  readonly tools: number;
  readonly atATime: number;
  readonly times: TimeSummary;
}

const AT_A_TIME = 8;

/** Number of batches into which each selector's cold requests are divided. */
const COLD_BATCHES = 4;

/**
 * Measures cold requests, eight at a time, each with new tools. Bodies are prepared. If there are several
 * selectors, all of them get the same requests, batch by batch in turn.
 */
export async function measureColdLoad(
  selectors: readonly MeasuredSelector[],
  source: CatalogueSource,
  tools: number,
  requests: number,
): Promise<LoadTimes[]> {
  const times = new Map(selectors.map((selector): [MeasuredSelector, number[]] => [selector, []]));
  const perBatch = Math.ceil(requests / COLD_BATCHES);
  for (let sent = 0; sent < requests; sent += perBatch) {
    const count = Math.min(perBatch, requests - sent);
    const bodies = Array.from({ length: count }, () => Buffer.from(inlineBody(source.next(tools), 0)));
    for (const [{ client }, ofSelector] of times) ofSelector.push(...(await sendAll(client, bodies)));
  }
  return [...times].map(([{ name }, ofSelector]) => ({
    what: 'cold',
    selector: name,
    tools,
    atATime: AT_A_TIME,
    times: summarizeTimes(ofSelector),
  }));
}

/** Measures warm requests, eight at a time: the same tools inline, and then by their id. */
export async function measureWarmLoad(
  client: SearchClient,
  source: CatalogueSource,
  tools: number,
  requests: number,
): Promise<LoadTimes[]> {
  const catalogue = source.next(tools);
  await client.search(Buffer.from(bindingBody(catalogue)));
  await client.search(Buffer.from(inlineBody(catalogue, 0)));
  // As many different bodies as concurrent requests: only their patterns differ, and each is 15 MiB.
  const inline = Array.from({ length: AT_A_TIME }, (_, turn) => Buffer.from(inlineBody(catalogue, turn)));
  const byId = Array.from({ length: requests }, (_, turn) => Buffer.from(catalogIdBody(catalogue, turn)));
  const shared = { selector: 'winnow', tools, atATime: AT_A_TIME } as const;
  return [
    {
      ...shared,
      what: 'warm, tools inline',
      times: summarizeTimes(await sendAll(client, repeat(inline, requests))),
    },
    { ...shared, what: 'warm, catalog_id', times: summarizeTimes(await sendAll(client, byId)) },
  ];
}

/**
 * Measures the warm requests with inline tools against a server that only reads them: the minimum for
 * requests to a selector. On a busy machine, or if the client shares its two cores, this is most of their
 * time.
 */
export async function measureReceivingLoad(
  bareServer: SearchClient,
  source: CatalogueSource,
  tools: number,
  requests: number,
): Promise<LoadTimes> {
  const catalogue = source.next(tools);
  const inline = Array.from({ length: AT_A_TIME }, (_, turn) => Buffer.from(inlineBody(catalogue, turn)));
  const times = summarizeTimes(await sendAll(bareServer, repeat(inline, requests)));
  return { what: 'inline, only received', selector: 'winnow', tools, atATime: AT_A_TIME, times };
}

/** Runs eight senders, each of which sends its next body after its last response. */
async function sendAll(client: SearchClient, bodies: readonly Buffer[]): Promise<number[]> {
  collectGarbage();
  const times: number[] = [];
  let next = 0;
  const sender = async (): Promise<void> => {
    for (;;) {
      const body = bodies[next];
      next += 1;
      if (body === undefined) return;
      times.push((await client.search(body)).ms);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, sender));
  return times;
}

function repeat<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, position) => items[position % items.length] as Item);
}
