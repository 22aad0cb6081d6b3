import { winnowFetch } from '@winnow/proxy';
import OpenAI from 'openai';
import type { Mark } from '../marks.ts';
import { median, quantiles } from '../summarize-times.ts';
import { figure } from '../table.ts';
import type { Bench } from './bench.ts';
import type { Ratio } from './compare-windows.ts';
import { type BenchBody, bodyWithTools, smallBody } from './requests.ts';

/** Number of windows of each way, and of requests in a window. */
export interface InProcessEffort {
  readonly rounds: number;
  readonly requests: number;
}

/** Processor time per request of the `openai` package, bare and with Winnow in its process. */
export interface InProcessCost {
  readonly title: string;
  /** The largest ratio that may be. */
  readonly most: number;
  /** Medians of the windows, in microseconds. */
  readonly bareUs: number;
  readonly winnowUs: number;
  /** Winnow divided by bare, window by window. */
  readonly ratio: Ratio;
}

/** The kinds of requests, with the ratio that each must keep. */
const LOADS = [
  { title: 'a small conversation', most: 1.2, body: smallBody },
  { title: '200 tools deferred', most: 1.5, body: (isStream: boolean) => bodyWithTools(isStream, 1) },
] as const;

/** Number of windows before the first one that counts. */
const WARM_UP = 10;

/**
 * Measures this process as the client: the package sends the same requests to the bench's upstream, one at a
 * time, in windows with Winnow and without it in turn.
 */
export async function measureInProcess({ plan, upstream, report }: Bench): Promise<InProcessCost[]> {
  const costs: InProcessCost[] = [];
  for (const { title, most, body } of LOADS) {
    for (const isStream of [false, true]) {
      const name = `${title}, ${isStream ? 'streamed' : 'whole'}`;
      report(`in process, ${name}`);
      const sendBare = sender(upstream.url, body(isStream), isStream);
      const sendWinnow = sender(upstream.url, body(isStream), isStream, winnowFetch(fetch));
      const { rounds, requests } = plan.inProcess;
      const windows: Window[] = [];
      for (let round = -WARM_UP; round < rounds; round++) {
        const window = await measureWindow(sendBare, sendWinnow, { requests, isBareFirst: round % 2 === 0 });
        if (round >= 0) windows.push(window);
      }
      costs.push({ title: name, most, ...summarize(windows) });
    }
  }
  return costs;
}

/** Processor time per request of one window of each way, in microseconds. */
interface Window {
  readonly bareUs: number;
  readonly winnowUs: number;
}

/** The way to measure first alternates: the second one pays for the garbage of the first. */
async function measureWindow(
  sendBare: () => Promise<void>,
  sendWinnow: () => Promise<void>,
  { requests, isBareFirst }: { readonly requests: number; readonly isBareFirst: boolean },
): Promise<Window> {
  if (isBareFirst) {
    const bareUs = await cpuOf(sendBare, requests);
    return { bareUs, winnowUs: await cpuOf(sendWinnow, requests) };
  }
  const winnowUs = await cpuOf(sendWinnow, requests);
  return { bareUs: await cpuOf(sendBare, requests), winnowUs };
}

/** Returns a function that sends one request and reads its whole response. */
function sender(url: string, { bytes }: BenchBody, isStream: boolean, withWinnow?: typeof fetch) {
  const client = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: 'bench',
    maxRetries: 0,
    defaultHeaders: { 'x-bench-answer': isStream ? 'stream' : 'whole' },
    ...(withWinnow && { fetch: withWinnow }),
  });
  const body = JSON.parse(bytes.toString()) as OpenAI.ChatCompletionCreateParams;
  return async () => {
    const response = await client.chat.completions.create(body);
    let hasText = false;
    if ('choices' in response) hasText = Boolean(response.choices[0]!.message.content);
    else for await (const { choices } of response) hasText ||= Boolean(choices[0]?.delta.content);
    if (!hasText) throw new Error('a response without text');
  };
}

/** Returns the processor time of this process per request, in microseconds. */
async function cpuOf(send: () => Promise<void>, requests: number): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < requests; count++) await send();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

function summarize(windows: readonly Window[]) {
  const ratios = windows.map(({ bareUs, winnowUs }) => winnowUs / bareUs);
  const [low = 0, middle = 0, high = 0] = quantiles(ratios, [0.25, 0.5, 0.75]);
  return {
    bareUs: median(windows.map(({ bareUs }) => bareUs)),
    winnowUs: median(windows.map(({ winnowUs }) => winnowUs)),
    ratio: { median: middle, low, high },
  };
}

/** Returns the requirements for the cost in process. */
export function inProcessMarks(costs: readonly InProcessCost[]): Mark[] {
  return costs.map(({ title, most, ratio, winnowUs, bareUs }) => ({
    what: `CPU per request in process, the bare package = 1, ${title}`,
    mark: `at most ${most}`,
    measured: `${figure(ratio.median, 2)} (${middleHalf(ratio)}): ${figure(winnowUs, 0)} over ${figure(bareUs, 0)} µs`,
    isMet: ratio.median <= most,
  }));
}

function middleHalf({ low, high }: Ratio): string {
  return `${figure(low, 2)}–${figure(high, 2)}`;
}
