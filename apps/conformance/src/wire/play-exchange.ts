import type { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exchange, Mood, ReceivedRequest, Seen, WireAnswer } from './exchange.ts';
import { WireClient } from './wire-client.ts';
import type { Stage, WireProvider } from './wire-provider.ts';

/** The two ends between which the gateway stands. */
export interface Ends {
  /** The gateway's address. */
  readonly url: string;
  readonly provider: WireProvider;
  /** Longest wait for one thing to arrive, in milliseconds. */
  readonly patienceMs: number;
  /** Whether a text is in the bytes of a body so far, whatever their framing and encoding. */
  readonly hasText: (body: Buffer, text: string, encoding: string | undefined) => boolean;
  /** Keeps the client's connection from one exchange to the next; each has its own without. */
  readonly agent?: Agent | undefined;
}

/** Time without any progress after which the provider counts as paused. */
const QUIET_MS = 300;

/** Plays one exchange through the gateway, and returns what both ends saw. */
export async function playExchange(exchange: Exchange, marker: string, ends: Ends): Promise<Seen> {
  await delay(exchange.restMs ?? 0);
  const play = new Play(exchange, marker, ends);
  ends.provider.begin(play);
  try {
    return await play.run();
  } finally {
    ends.provider.end(play);
  }
}

class Play implements Stage {
  readonly marker: string;
  readonly #exchange: Exchange;
  readonly #ends: Ends;
  readonly #received: ReceivedRequest[] = [];
  readonly #delays: string[] = [];
  readonly #waits: number[] = [];
  readonly #client: WireClient;
  readonly #twin: WireClient | undefined;
  readonly #mood: Mood;
  #answer: WireAnswer | undefined;
  #heads = 0;
  #isCancelled = false;
  #taken = 0;

  constructor(exchange: Exchange, marker: string, ends: Ends) {
    this.#exchange = exchange;
    this.#ends = ends;
    this.marker = marker;
    this.#mood = exchange.mood ?? 'reads';
    const open = () =>
      new WireClient(ends.url, exchange.request, { reads: this.#mood !== 'stalls', agent: ends.agent });
    this.#client = open();
    this.#twin = exchange.isTwice ? open() : undefined;
  }

  async run(): Promise<Seen> {
    const bytesAhead = await this.#behave();
    if (this.#mood === 'reads' || this.#mood === 'stalls') {
      const limitMs = 4 * this.#ends.patienceMs + this.#silenceMs;
      const clients = [this.#client, ...(this.#twin ? [this.#twin] : [])];
      await Promise.all(
        clients.map(async (client) => {
          if (!(await client.until(() => client.hasEnded, limitMs))) client.leave('timeout');
        }),
      );
    } else if (this.#heads > 0 && (this.#mood !== 'leaves-later' || this.#answer?.isSilent))
      await this.#until(() => this.#isSettled);
    return {
      client: this.#client.view,
      twin: this.#twin?.view,
      received: this.#received,
      answer: this.#answer,
      isCancelled: this.#isCancelled,
      bytesAhead,
      delays: this.#delays,
      leastDelayMs: this.#waits.length < 4 ? undefined : Math.min(...this.#waits),
    };
  }

  onHead(): void {
    this.#heads += 1;
  }

  async onRequest(request: ReceivedRequest): Promise<WireAnswer> {
    this.#received.push(request);
    const { answer } = this.#exchange;
    try {
      this.#answer = typeof answer === 'function' ? await answer(request) : answer;
      return this.#answer;
    } catch (error) {
      this.#delays.push((error as Error).message);
      throw error;
    }
  }

  async isSeen({ bytes, text }: { bytes: number; text: string | undefined }): Promise<boolean> {
    // One wait in vain is enough: a gateway that collects a stream would cost one for each of its events.
    if (this.#delays.length > 0) return false;
    const client = this.#client;
    const hasAll = () =>
      client.hasHead &&
      (client.bytes >= bytes ||
        (text !== undefined && this.#ends.hasText(client.body, text, client.encoding)));
    const start = performance.now();
    const isSeen = await client.until(hasAll, this.#ends.patienceMs);
    this.#waits.push(performance.now() - start);
    if (!isSeen) {
      const what = bytes === 0 ? 'the head of the response' : `the first ${bytes} bytes of the body`;
      this.#delays.push(`${what} did not reach the client before the provider sent more`);
    }
    return isSeen;
  }

  onCancelled(): void {
    this.#isCancelled = true;
  }

  onTaken(bytes: number): void {
    this.#taken += bytes;
  }

  /** Whether the provider knows that an abandoned request is over. */
  get #isSettled(): boolean {
    const isBroken = this.#received.some(({ isComplete }) => !isComplete);
    return this.#isCancelled || isBroken;
  }

  /** The time for which the case itself makes both sides wait. */
  get #silenceMs(): number {
    const { pauseMs = 0, answer } = this.#exchange;
    if (typeof answer === 'function') return pauseMs;
    const { startMs = 0, steps, isSilent } = answer;
    if (isSilent) return pauseMs;
    const silences = [...steps].map((step) => (step.type === 'silence' ? step.ms : 0));
    return pauseMs + startMs + silences.reduce((sum, ms) => sum + ms, 0);
  }

  /** Plays the client's part, and returns how far the provider got while the client did not read. */
  async #behave(): Promise<number> {
    const client = this.#client;
    switch (this.#mood) {
      case 'reads':
        await this.#send();
        return 0;
      case 'stalls':
        client.send();
        return this.#stall();
      case 'leaves-sending':
        client.sendHalf();
        // A gateway that passes the body on at once has reached the provider by then; others have not.
        await delay(100);
        client.leave();
        return 0;
      case 'leaves-waiting':
        client.send();
        await this.#until(() => this.#received.length > 0);
        client.leave();
        return 0;
      case 'leaves-later':
        client.send();
        await this.#until(() => this.#answer?.isSilent === true || client.hasEnded);
        client.leave();
        return 0;
      case 'leaves-reading':
        client.send();
        await client.until(() => client.bytes > 0, this.#ends.patienceMs);
        client.leave();
        return 0;
      default:
        return this.#mood satisfies never;
    }
  }

  async #send(): Promise<void> {
    const client = this.#client;
    const { pauseMs, request } = this.#exchange;
    if (request.headers.some(([name]) => name === 'expect')) {
      const mayGoOn = await client.until(() => client.mayGoOn, this.#ends.patienceMs);
      if (!mayGoOn) this.#delays.push('the client was not told to go on with the body, and sent it unasked');
    }
    if (pauseMs === undefined) client.send();
    else {
      client.sendHalf();
      await delay(pauseMs);
      client.sendRest();
    }
    this.#twin?.send();
  }

  async #stall(): Promise<number> {
    const client = this.#client;
    await client.until(() => client.hasHead, this.#ends.patienceMs);
    let before = -1;
    while (this.#taken !== before) {
      before = this.#taken;
      await delay(QUIET_MS);
    }
    client.resume();
    return before;
  }

  async #until(condition: () => boolean): Promise<void> {
    const end = performance.now() + this.#ends.patienceMs;
    while (!condition() && performance.now() < end) await delay(5);
  }
}
