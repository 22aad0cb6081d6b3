import {
  ANSWER_SHAPES,
  createRandom,
  generateHostileExchange,
  generateHostileHttp2,
  type HostileTarget,
  type Random,
  sendHostileExchange,
} from '@winnow/testkit';
import { readMetric, sumOfMetric } from '../read-metric.ts';
import { askHostile } from './ask-hostile.ts';
import { judgeAnswer } from './judge-answer.ts';
import { beNeighbour } from './neighbour.ts';
import { readMemory } from './read-memory.ts';
import { type Services, startServices } from './start-services.ts';

/** Duration and seed of a run. */
export interface FuzzPlan {
  readonly seconds: number;
  readonly seed: number;
}

/** The results of a run. */
export interface FuzzReport {
  /** Number of exchanges by target and outcome: `openai` → `400` → 12. */
  readonly outcomes: ReadonlyMap<string, Map<string, number>>;
  readonly neighbours: number;
  /** Peak memory of each process, in bytes; empty if the system does not report it. */
  readonly peakBytes: Readonly<Record<'proxy' | 'selector', number | undefined>>;
  /** All faults, each with the exchange that caused it. */
  readonly faults: readonly string[];
}

/** Number of concurrent hostile clients, and of concurrent clients of hostile upstreams. */
const [CLIENTS, ASKERS] = [6, 4];
const GEMINI_METHODS = ['generateContent', 'streamGenerateContent', 'streamGenerateContent?alt=sse'];
const BEDROCK_ACTIONS = {
  converse: ['converse', 'converse-stream'],
  invoke: ['invoke', 'invoke-with-response-stream'],
} as const;
/** Share of the proxy's connections that use HTTP/2; it supports both versions. */
const HTTP2_SHARE = 0.3;
/** Timeout of one exchange, in milliseconds: far longer than any should take, even under load. */
const PATIENCE_MS = 60_000;
/** Sizes of bodies: most are small, so that many can be sent; some have the maximum size. */
const [SMALL_BYTES, LARGE_BYTES, LARGE_SHARE] = [100_000, 105_000_000, 0.03];
/** Hostile responses are generated as a whole. */
const LARGE_ANSWER_BYTES = 60_000_000;
/** Memory limit of a service, with 96 MiB for bodies and 64 MiB for sessions. */
export const MEMORY_BYTES = 512 * 2 ** 20;

/** Runs hostile clients against both services, with well-behaved ones alongside, and returns the results. */
export async function runFuzz({ seconds, seed }: FuzzPlan, say: (line: string) => void): Promise<FuzzReport> {
  const services = await startServices();
  const run = new FuzzRun(services, performance.now() + seconds * 1_000);
  try {
    const clients = Array.from({ length: CLIENTS }, (_, number) => run.attack(seed * CLIENTS + number, say));
    const askers = Array.from({ length: ASKERS }, (_, number) => run.ask(seed * ASKERS + number, say));
    await Promise.all([...clients, ...askers, run.observe()]);
    await run.expectNothingLeft();
    return run.report();
  } finally {
    await services.stop();
  }
}

class FuzzRun {
  readonly #services: Services;
  readonly #endMs: number;
  readonly #outcomes = new Map<string, Map<string, number>>();
  readonly #faults: string[] = [];
  #neighbours = 0;

  constructor(services: Services, endMs: number) {
    this.#services = services;
    this.#endMs = endMs;
  }

  /** Runs one hostile client after another. The seed decides everything. */
  async attack(seed: number, say: (line: string) => void): Promise<void> {
    const random = createRandom(seed);
    for (let number = 0; this.#goesOn; number++) {
      const { url, target } = this.#pickTarget(random);
      const isHttp2 = target.shape !== 'selector' && random.chance(HTTP2_SHARE);
      const size = random.chance(LARGE_SHARE) ? LARGE_BYTES : SMALL_BYTES;
      const generate = isHttp2 ? generateHostileHttp2 : generateHostileExchange;
      const exchange = generate(random, { target, size });
      const what = `${target.shape}, seed ${seed}, exchange ${number}: ${exchange.kind}`;
      try {
        const received = await sendHostileExchange(url, exchange, AbortSignal.timeout(PATIENCE_MS));
        const { outcome, fault } = judgeAnswer(received);
        const place = isHttp2 ? `${target.shape} over HTTP/2` : target.shape;
        this.#count(place, exchange.ending === 'leave' ? 'left' : outcome);
        if (fault !== undefined) this.#addFault(`${what}: ${fault}`, say);
      } catch (error) {
        this.#addFault(`${what}: ${(error as Error).message}`, say);
      }
    }
  }

  /** Sends one request after another to a hostile upstream. The seed decides everything. */
  async ask(clientSeed: number, say: (line: string) => void): Promise<void> {
    const random = createRandom(clientSeed);
    while (this.#goesOn) {
      const seed = random.below(2 ** 31);
      const shape = random.pick(ANSWER_SHAPES);
      const isPolyfilled = ['anthropic', 'responses'].includes(shape) && random.chance(0.5);
      const isStream = random.chance(0.6);
      const size = random.chance(LARGE_SHARE) ? LARGE_ANSWER_BYTES : SMALL_BYTES;
      const what = `an upstream of ${shape}${isPolyfilled ? ', polyfilled' : ''}, ${isStream ? 'stream' : 'whole'}, seed ${seed}, size ${size}`;
      try {
        const asked = { shape, isPolyfilled, isStream, seed, size };
        const { outcome, fault } = await askHostile(this.#services.proxy.url, asked, PATIENCE_MS);
        this.#count(`${isPolyfilled ? `polyfilled ${shape}` : shape} upstream`, outcome);
        if (fault !== undefined) this.#addFault(`${what}: ${fault}`, say);
      } catch (error) {
        this.#addFault(`${what}: ${(error as Error).message}`, say);
      }
    }
  }

  /** Clients that must be served throughout. */
  async observe(): Promise<void> {
    while (this.#goesOn) {
      const fault = await beNeighbour(this.#services);
      this.#neighbours++;
      if (fault !== undefined) this.#faults.push(fault);
    }
  }

  /** Checks that no exchange stays open once its client has gone. */
  async expectNothingLeft(): Promise<void> {
    const { proxy, selector } = this.#services;
    const endMs = performance.now() + PATIENCE_MS;
    let left = { proxy: 1, selector: 1 };
    while (left.proxy + left.selector > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const metrics = await (await fetch(`${selector.url}/metrics`)).text();
      left = {
        proxy: await readMetric(proxy.url, 'winnow_proxy_open_exchanges'),
        selector: sumOfMetric(metrics, 'winnow_waiting_requests'),
      };
    }
    if (left.proxy + left.selector > 0) this.#faults.push(`left open: ${JSON.stringify(left)}`);
  }

  report(): FuzzReport {
    const peakBytes = {
      proxy: readMemory(this.#services.proxy.pid),
      selector: readMemory(this.#services.selector.pid),
    };
    const tooMuch = Object.entries(peakBytes).filter(([, bytes = 0]) => bytes > MEMORY_BYTES);
    const faults = [
      ...this.#faults,
      ...this.#services.defects,
      ...tooMuch.map(([name, bytes]) => `the ${name} held ${bytes} bytes`),
    ];
    return { outcomes: this.#outcomes, neighbours: this.#neighbours, peakBytes, faults };
  }

  get #goesOn(): boolean {
    return performance.now() < this.#endMs;
  }

  #pickTarget(random: Random): { url: string; target: HostileTarget } {
    const { proxy, selector } = this.#services;
    const headers = { 'content-type': 'application/json', authorization: 'Bearer hostile' };
    const shape = random.pick([
      'openai',
      'responses',
      'anthropic',
      'hosted',
      'namespaces',
      'gemini',
      'interactions',
      'converse',
      'invoke',
      'selector',
    ] as const);
    switch (shape) {
      case 'openai':
        return { url: proxy.url, target: { shape, path: '/rawopenai/v1/chat/completions', headers } };
      case 'responses':
        return { url: proxy.url, target: { shape, path: '/rawopenai/v1/responses', headers } };
      case 'interactions':
        return { url: proxy.url, target: { shape, path: '/rawgemini/v1beta/interactions', headers } };
      case 'converse':
      case 'invoke': {
        const path = `/rawbedrock/model/m/${random.pick(BEDROCK_ACTIONS[shape])}`;
        return { url: proxy.url, target: { shape, path, headers } };
      }
      case 'gemini': {
        const path = `/rawgemini/v1beta/models/m:${random.pick(GEMINI_METHODS)}`;
        return { url: proxy.url, target: { shape, path, headers } };
      }
      case 'namespaces':
        return { url: proxy.url, target: { shape, path: '/rawplainopenai/v1/responses', headers } };
      case 'hosted':
        return { url: proxy.url, target: { shape, path: '/rawplain/v1/messages', headers } };
      case 'anthropic':
        return { url: proxy.url, target: { shape, path: '/rawanthropic/v1/messages', headers } };
      default:
        return { url: selector.url, target: { shape, path: '/v1/tool-discovery/search', headers } };
    }
  }

  #count(shape: string, outcome: string): void {
    const counts = this.#outcomes.get(shape) ?? new Map<string, number>();
    this.#outcomes.set(shape, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }

  #addFault(fault: string, say: (line: string) => void): void {
    this.#faults.push(fault);
    say(fault);
  }
}
