import { monitorEventLoopDelay } from 'node:perf_hooks';
import { bindingBody, type CatalogueSource, catalogIdBody, inlineBody } from './catalogue.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { SearchClient } from './search-client.ts';

/** Duration of small requests while a large catalogue is sent, parsed and indexed, in milliseconds. */
export interface StallTimes {
  readonly tools: number;
  /**
   * The longest response time on the idle selector: the part of the figures below that the large request does
   * not cause.
   */
  readonly idleMax: number;
  /** The longest response time during each large request. */
  readonly longest: readonly number[];
  /** Duration of each large request. */
  readonly buildMs: readonly number[];
  /** Number of small requests during all of them. */
  readonly answers: number;
  /** The longest pause of the bench's own event loop: no response can seem faster than that. */
  readonly ownPauseMax: number;
  /** The longest pause of the selector's event loop by its own metric, in steps of 10 ms, if it has one. */
  readonly selectorPauseMax: number | undefined;
}

const SMALL = 50;
const PAUSE_MS = 2;
const IDLE_ANSWERS = 200;

/** Sends `rounds` new catalogues of `tools` tools, with small `catalog_id` searches every 2 ms alongside. */
export async function measureStall(
  client: SearchClient,
  source: CatalogueSource,
  tools: number,
  rounds: number,
): Promise<StallTimes> {
  const probe = await makeProbe(client, source);
  await probe(countedTo(IDLE_ANSWERS));
  const idle = await probe(countedTo(IDLE_ANSWERS));
  await selectorPause(client);

  const longest: number[] = [];
  const buildMs: number[] = [];
  let answers = 0;
  const own = monitorEventLoopDelay({ resolution: 1 });
  for (let round = 0; round < rounds; round += 1) {
    const body = Buffer.from(inlineBody(source.next(tools), 0));
    collectGarbage();
    own.enable();
    let isDone = false;
    const large = client.search(body).finally(() => {
      isDone = true;
    });
    const times = await probe(() => isDone);
    buildMs.push((await large).ms);
    own.disable();
    longest.push(Math.max(...times));
    answers += times.length;
  }
  return {
    tools,
    idleMax: Math.max(...idle),
    longest,
    buildMs,
    answers,
    ownPauseMax: own.max / 1e6,
    selectorPauseMax: await selectorPause(client),
  };
}

type Probe = (isOver: () => boolean) => Promise<number[]>;

/** Stores a small catalogue under an id and returns a function that searches it until stopped. */
async function makeProbe(client: SearchClient, source: CatalogueSource): Promise<Probe> {
  const catalogue = source.next(SMALL);
  await client.search(Buffer.from(bindingBody(catalogue)));
  return async (isOver) => {
    const times: number[] = [];
    do {
      times.push((await client.search(Buffer.from(catalogIdBody(catalogue, times.length)))).ms);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } while (!isOver());
    return times;
  };
}

function countedTo(most: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count >= most;
  };
}

/** Returns the longest pause since the last call, from the metrics of prom-client; reading it resets it. */
async function selectorPause(client: SearchClient): Promise<number | undefined> {
  try {
    const { body } = await client.get('/metrics');
    const seconds = body.match(/^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  } catch {
    return undefined;
  }
}
