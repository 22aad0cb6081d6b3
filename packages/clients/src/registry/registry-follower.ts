import type { ListedTool } from '@winnow/core';
import {
  type ChangeFeed,
  type ChangePlace,
  RegistryFailure,
  type RegistryFailureReason,
  type RegistryReader,
  type TouchedTool,
} from './registry-client.ts';

/** The state of following the registry. */
export interface RegistryStatus {
  /** `starting` until all tools were read once; `away` while changes cannot be followed. */
  readonly state: 'starting' | 'following' | 'away';
  /** The version of the known content; 0 before the first. */
  readonly version: number;
  readonly tools: number;
  /** The time since changes were last followed, in milliseconds; 0 while they are. */
  readonly awayMs: number;
}

/** The effects and limits of following. */
export interface FollowerEffects {
  /** The most tools; the registry is not followed if it has more. */
  readonly maxTools: number;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  /** Returns a number from 0 to below 1, so that followers do not all reconnect at once. */
  readonly random: () => number;
  /** Waits; ends early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Gives other requests their turn. */
  readonly pause: () => Promise<void>;
  /** Called when following begins. */
  readonly onFollowing: () => void;
  /** Called when an attempt has failed, or a successful one has ended. */
  readonly onFailure: (failure: RegistryFailure) => void;
}

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 30_000;

/** The most pages of a list without a new tool: a registry that repeats itself is not listened to forever. */
const MAX_IDLE_PAGES = 10;

/**
 * Keeps a copy of a registry's tools up to date through its feed of changes.
 *
 * The known tools remain searchable while the registry is away, with two exceptions: if the token is refused
 * or the registry has too many tools, all tools are forgotten, as they are when the token may see other tools
 * than before. Whenever changes may have been missed, all tools are listed again and the differences applied.
 */
export class RegistryFollower<Tools extends FollowedTools = FollowedTools> {
  /** The known tools of the registry. */
  readonly tools: Tools;
  readonly #client: RegistryReader;
  readonly #effects: FollowerEffects;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  /** The position after the last applied change; undefined when all tools have to be listed. */
  #place: ChangePlace | undefined;
  #sight: string | undefined;
  #version = 0;
  #isComplete = false;
  #lostAt: number | undefined;
  #followingSince: number | undefined;
  #failures = 0;
  /** The time and number of recent listings that events have asked for. */
  #relistedAt = Number.NEGATIVE_INFINITY;
  #relistings = 0;

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

  /** Whether there are tools to search. */
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
    let idlePages = 0;
    for await (const tools of this.#client.list(signal)) {
      const before = listed.size;
      for (const { id } of tools) listed.add(id);
      if (listed.size === before) idlePages += 1;
      if (idlePages > MAX_IDLE_PAGES) {
        throw new RegistryFailure('invalid_response', 'the list of tools does not end');
      }
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
  }

  async #take(touched: readonly TouchedTool[], feed: ChangeFeed, signal: AbortSignal): Promise<void> {
    const last = touched.at(-1)!;
    if (touched.some(({ id }) => id === undefined)) await this.#relist(feed, signal);
    else await this.#readAgain(touched, signal);
    this.#moveTo({ epoch: feed.epoch, version: last.version, index: last.index });
  }

  /**
   * Lists all tools because of an event: at once, and after ever longer pauses if such events do not stop.
   * Meanwhile the known tools stay.
   */
  async #relist(feed: ChangeFeed, signal: AbortSignal): Promise<void> {
    const { now, wait } = this.#effects;
    const sinceMs = now() - this.#relistedAt;
    if (sinceMs >= 2 * LAST_DELAY_MS) this.#relistings = 0;
    const pauseMs = this.#relistings === 0 ? 0 : delayAfter(this.#relistings - 1) - sinceMs;
    if (pauseMs > 0) await wait(pauseMs, signal);
    signal.throwIfAborted();
    this.#relistings += 1;
    await this.#readAll(feed, signal);
    this.#relistedAt = now();
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
    // Only a lasting connection counts as a success: attempts become rarer for a feed that keeps breaking
    // off.
    if (now - (this.#followingSince ?? now) >= LAST_DELAY_MS) this.#failures = 0;
    this.#followingSince = undefined;
    this.#lostAt ??= now;
    if (ENDS_SIGHT.has(failure.reason)) this.#forget();
    if (failure.reason === 'stale' || failure.reason === 'invalid_response') this.#place = undefined;
    this.#effects.onFailure(failure);
  }

  /** Forgets the known tools, which may no longer be searched. */
  #forget(): void {
    this.tools.clear();
    this.#isComplete = false;
    this.#place = undefined;
    this.#sight = undefined;
    this.#version = 0;
  }

  /**
   * Returns the delay before the next attempt. It doubles after each failure; each follower waits a random
   * part of it, at least half.
   */
  #nextDelay(): number {
    const most = delayAfter(this.#failures);
    this.#failures += 1;
    return most * (0.5 + this.#effects.random() / 2);
  }
}

function delayAfter(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, LAST_DELAY_MS);
}

/** Reasons to forget all tools: the token may see none, or an incomplete list would look complete. */
const ENDS_SIGHT: ReadonlySet<RegistryFailureReason> = new Set(['refused', 'too_many_tools']);

function defectOf(cause: unknown): RegistryFailure {
  return new RegistryFailure('invalid_response', 'reading failed', { cause });
}

/**
 * The tools that a follower has read from a registry. The service decides which parts of them to keep.
 *
 * Contract: no call throws or waits. Calls are sequential, one page of tools at a time, and other work runs
 * between them.
 */
export interface FollowedTools {
  /** The number of tools. */
  readonly size: number;
  /** Adds tools, or replaces those with the same ids. */
  put(tools: readonly ListedTool[]): void;
  /** Removes tools by id; ignores unknown ids. */
  remove(ids: Iterable<string>): void;
  /** Removes all other tools. */
  keepOnly(ids: ReadonlySet<string>): void;
  /** Removes all tools, because they may no longer be used. */
  clear(): void;
  /** Called after all tools were read, so that expensive data can be prepared before the next search. */
  prepare(): void;
  /** Returns the id, and the ids of known tools whose names may change when this tool is added or removed. */
  namedLike(id: string): readonly string[];
}
