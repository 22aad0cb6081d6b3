import type { Checkout } from '../checkout.ts';
import type { RunningProcess } from '../start-process.ts';
import { median } from '../summarize-times.ts';
import { Connection } from './connection.ts';
import { DELAY_BODIES, type DelayBody } from './delay-bodies.ts';
import { HOSTILE_ANSWERS, type HostileKind } from './hostile-answers.ts';
import { bodyWithTools, requestBytes } from './requests.ts';

/** Numbers of bodies to send. */
export interface DelayEffort {
  /** For each kind up to 1 MB. */
  readonly bodies: number;
  /** For the largest ones. */
  readonly largest: number;
}

/** A proxy that reports the delay of its event loop. */
export interface ReportingProxy {
  readonly checkout: Checkout['name'];
  readonly strategy: 'tool-search' | 'relevance';
  readonly process: RunningProcess;
}

/** Exchanges of one kind. */
interface DelayCase extends Pick<DelayBody, 'title' | 'isLargest'> {
  /** Returns a new request for each number. */
  readonly ask: (number: number) => { readonly request: Buffer; readonly bodyBytes: number };
}

/** Delays of a proxy's event loop by requests or responses of one kind, in milliseconds. */
export interface LoopDelay extends Omit<ReportingProxy, 'process'>, Pick<DelayBody, 'title' | 'isLargest'> {
  /** The size of the request, or of the response if that is the hostile one. */
  readonly bodyBytes: number;
  readonly bodies: number;
  /** The longest delay of all bodies. */
  readonly longestMs: number;
  /** The median of each body's longest delay. */
  readonly p50Ms: number;
}

const WARM_UP = 3;
/** Bodies of the last rounds that are sent again: a known list takes a different path from a new one. */
const TIMES_SENT = 2;

const REQUESTS: readonly DelayCase[] = DELAY_BODIES.map(({ title, isLargest, make }) => ({
  title,
  isLargest,
  ask(number) {
    const bytes = make(number);
    return { request: requestBytes({ bytes, query: '' }, { answer: 'whole' }), bodyBytes: bytes.length };
  },
}));

const RESPONSES: readonly DelayCase[] = Object.entries(HOSTILE_ANSWERS).map(
  ([kind, { title, isStream, write }]) => ({
    title: `response: ${title}`,
    isLargest: true,
    ask: (number) => ({
      request: requestBytes(bodyWithTools(isStream, number), { answer: kind as HostileKind }),
      bodyBytes: Buffer.byteLength(write()),
    }),
  }),
);

/**
 * Sends requests of every kind, one at a time and twice each, and reads the longest delay after each
 * exchange.
 */
export async function measureDelays(
  proxies: readonly ReportingProxy[],
  effort: DelayEffort,
): Promise<LoopDelay[]> {
  const delays: LoopDelay[] = [];
  let number = 0;
  for (const body of [...REQUESTS, ...RESPONSES]) {
    const count = body.isLargest ? effort.largest : effort.bodies;
    const longest = new Map(proxies.map((proxy): [ReportingProxy, number[]] => [proxy, []]));
    let bodyBytes = 0;
    for (let turn = 0; turn < count + (body.isLargest ? 0 : WARM_UP); turn += 1) {
      number += 1;
      const asked = body.ask(number);
      ({ bodyBytes } = asked);
      for (const proxy of proxies) {
        const ms = await delayOf(proxy.process, asked.request);
        if (body.isLargest || turn >= WARM_UP) longest.get(proxy)!.push(ms);
      }
    }
    for (const [{ checkout, strategy }, times] of longest) {
      const { title, isLargest } = body;
      const figures = { longestMs: Math.max(...times), p50Ms: median(times) };
      delays.push({ checkout, strategy, title, isLargest, bodyBytes, bodies: count, ...figures });
    }
  }
  return delays;
}

/** Returns the longest delay of the event loop while a request is sent twice. */
async function delayOf(proxy: RunningProcess, request: Buffer): Promise<number> {
  await proxy.ask<number>('delay');
  const connection = await Connection.open(proxy.url);
  try {
    for (let sent = 0; sent < TIMES_SENT; sent += 1) await connection.exchange(request);
  } finally {
    connection.close();
  }
  return proxy.ask<number>('delay');
}
