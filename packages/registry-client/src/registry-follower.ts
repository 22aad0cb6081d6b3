import type { FollowedTools } from './followed-tools.ts';
import type { ChangeFeed, ChangePlace, RegistryReader, TouchedTool } from './registry-client.ts';
import { RegistryFailure, type RegistryFailureReason } from './registry-failure.ts';

/** How it stands with the registry. */
export interface RegistryStatus {
  /** `starting` until all tools were read once; `away` while changes cannot be followed. */
  readonly state: 'starting' | 'following' | 'away';
  /** Of the content that is known; 0 before. */
  readonly version: number;
  readonly tools: number;
  /** For how long changes have not been followed, in milliseconds; 0 while they are. */
  readonly awayMs: number;
}

/** What following takes from the world around it, and how much of it. */
export interface FollowerEffects {
  /** With more than these the registry is not followed. */
  readonly maxTools: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** From 0 to below 1: keeps followers from coming back all at once. */
  readonly random: () => number;
  /** Waits; ends early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Lets requests have their turn. */
  readonly pause: () => Promise<void>;
  /** Changes are followed from now on. */
  readonly onFollowing: () => void;
  /** An attempt has failed, or what went well has ended. */
  readonly onFailure: (failure: RegistryFailure) => void;
  /** All tools were read. */
  readonly onListed: () => void;
}

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 30_000;

/**
 * Keeps a copy of a registry's tools, current by its feed of changes.
 *
 * What is known goes on being searched while the registry is away, whatever the reason, with one exception: a token that is not accepted any
 * longer may not see anything, and one that sees something else than before begins with nothing. Whenever changes may have been missed, all
 * tools are listed again, and what differs is taken over.
 */
export class RegistryFollower<Tools extends FollowedTools = FollowedTools> {
  /** What is known of the registry. */
  readonly tools: Tools;
  readonly #client: RegistryReader;
  readonly #effects: FollowerEffects;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  /** Behind the last change that was taken over; undefined when everything is to be listed. */
  #place: ChangePlace | undefined;
  #sight: string | undefined;
  #version = 0;
  #isComplete = false;
  #lostAt: number | undefined;
  #followingSince: number | undefined;
  #failures = 0;

  constructor(client: RegistryReader, tools: Tools, effects: FollowerEffects) {
    this.#client = client;
    this.tools = tools;
    this.#effects = effects;
    this.#lostAt = effects.now();
  }

  get status(): RegistryStatus {
    const isFollowing = this.#lostAt === undefined;
    return {
      state: !this.#isComplete ? 'starting' : isFollowing ? 'following' : 'away',
      version: this.#version,
      tools: this.tools.size,
      awayMs: isFollowing ? 0 : this.#effects.now() - this.#lostAt!,
    };
  }

  /** Whether there is something to search. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  start(): void {
    this.#running ??= this.#run(this.#ending.signal);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
        if (signal.aborted) return;
        this.#lose(new RegistryFailure('ended', 'the feed has ended'));
      } catch (error) {
        if (signal.aborted) return;
        this.#lose(error instanceof RegistryFailure ? error : defectOf(error));
      }
      await this.#effects.wait(this.#nextDelay(), signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const feed = await this.#client.openChanges(this.#place, signal);
    try {
      const isSame = feed.epoch === this.#place?.epoch && feed.sight === this.#sight;
      if (!isSame) await this.#readAll(feed, signal);
      this.#found();
      for await (const touched of feed.events) await this.#take(touched, feed, signal);
    } finally {
      feed.close();
    }
  }

  async #readAll(feed: ChangeFeed, signal: AbortSignal): Promise<void> {
    if (this.#sight !== undefined && feed.sight !== this.#sight) this.#forget();
    const listed = new Set<string>();
    for await (const tools of this.#client.list(signal)) {
      for (const { id } of tools) listed.add(id);
      if (listed.size > this.#effects.maxTools) {
        throw new RegistryFailure('too_many_tools', `more than ${this.#effects.maxTools} tools`);
      }
      this.tools.put(tools);
      await this.#effects.pause();
    }
    this.tools.keepOnly(listed);
    this.tools.prepare();
    this.#sight = feed.sight;
    this.#isComplete = true;
    this.#moveTo({ epoch: feed.epoch, version: feed.version });
    this.#effects.onListed();
  }

  async #take(touched: readonly TouchedTool[], feed: ChangeFeed, signal: AbortSignal): Promise<void> {
    const last = touched.at(-1)!;
    if (touched.some(({ id }) => id === undefined)) await this.#readAll(feed, signal);
    else await this.#readAgain(touched, signal);
    this.#moveTo({ epoch: feed.epoch, version: last.version, index: last.index });
  }

  async #readAgain(touched: readonly TouchedTool[], signal: AbortSignal): Promise<void> {
    const ids = [...new Set(touched.flatMap(({ id }) => this.tools.namedLike(id!)))];
    const found = await this.#client.expand(ids, signal);
    this.tools.remove(ids.filter((id) => !found.has(id)));
    this.tools.put([...found.values()]);
    if (this.tools.size > this.#effects.maxTools) {
      throw new RegistryFailure('too_many_tools', `more than ${this.#effects.maxTools} tools`);
    }
  }

  #moveTo(place: ChangePlace): void {
    this.#place = place;
    this.#version = place.version;
  }

  #found(): void {
    this.#lostAt = undefined;
    this.#followingSince = this.#effects.now();
    this.#effects.onFollowing();
  }

  #lose(failure: RegistryFailure): void {
    const now = this.#effects.now();
    // Only what lasts is a success: a feed that breaks off again and again is asked for less and less often.
    if (now - (this.#followingSince ?? now) >= LAST_DELAY_MS) this.#failures = 0;
    this.#followingSince = undefined;
    this.#lostAt ??= now;
    if (ENDS_SIGHT.has(failure.reason)) this.#forget();
    if (failure.reason === 'stale' || failure.reason === 'invalid_response') this.#place = undefined;
    this.#effects.onFailure(failure);
  }

  /** Nothing of what was known may be searched any longer. */
  #forget(): void {
    this.tools.clear();
    this.#isComplete = false;
    this.#place = undefined;
    this.#sight = undefined;
    this.#version = 0;
  }

  /** Doubles from failure to failure; each follower waits half of it to all of it. */
  #nextDelay(): number {
    const most = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LAST_DELAY_MS);
    this.#failures += 1;
    return most * (0.5 + this.#effects.random() / 2);
  }
}

/** The token sees nothing now; of more tools than are kept, a part would be passed off as all. */
const ENDS_SIGHT: ReadonlySet<RegistryFailureReason> = new Set(['refused', 'too_many_tools']);

function defectOf(cause: unknown): RegistryFailure {
  return new RegistryFailure('invalid_response', 'an error in reading', { cause });
}
