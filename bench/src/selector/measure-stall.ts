import { monitorEventLoopDelay } from 'node:perf_hooks';
import { bindingBody, type CatalogueSource, catalogIdBody, inlineBody } from './catalogue.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { SearchClient } from './search-client.ts';

/** What small requests feel while a large catalogue is sent, parsed and indexed; milliseconds. */
export interface StallTimes {
  readonly tools: number;
  /** The longest answer with nothing else going on: what of the figures below is not the large request's doing. */
  readonly idleMax: number;
  /** The longest answer during each large request. */
  readonly longest: readonly number[];
  /** How long each large request took. */
  readonly buildMs: readonly number[];
  /** Small requests answered during all of them. */
  readonly answers: number;
  /** The longest pause of the bench's own event loop: no answer can seem faster than that. */
  readonly ownPauseMax: number;
  /** The longest pause of the selector's event loop by its own metric, which counts in steps of 10 ms, where it has one. */
  readonly selectorPauseMax: number | undefined;
}

const SMALL = 50;
const PAUSE_MS = 2;
const IDLE_ANSWERS = 200;

/** Sends `rounds` catalogues of `tools` tools, none seen before, and small `catalog_id` searches every 2 ms beside each. */
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

/** Binds a small catalogue to an id and gives a function that searches it until told to stop. */
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

/** The longest pause since it was last asked, from the metrics of prom-client; asking starts it anew. */
async function selectorPause(client: SearchClient): Promise<number | undefined> {
  try {
    const { body } = await client.get('/metrics');
    const seconds = body.match(/^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  } catch {
    return undefined;
  }
}
