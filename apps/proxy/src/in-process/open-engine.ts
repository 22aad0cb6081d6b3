import { setImmediate, setInterval } from 'node:timers';
import { type ExchangeRecord, PRICES } from '@winnow/core';
import {
  defaultsOf,
  heldBytesOf,
  nearestName,
  RecentMap,
  type Setting,
  SILENT_TRACER,
} from '@winnow/service';
import type { Format } from '@winnow/wire';
import type { Settings, UpstreamSettings } from '../config/config.ts';
import { SETTINGS, UPSTREAM_SETTINGS } from '../config/settings.ts';
import type { RequestContext } from '../exchange/handle-request.ts';
import { RefusedEdits } from '../exchange/loop-progress.ts';
import { StallWatch } from '../exchange/receive-request.ts';
import { defectLine } from '../log/log.ts';
import { localSearch } from '../search/local.ts';
import { KeyedHash } from '../sessions/keyed-hash.ts';
import { MemorySessionStore } from '../sessions/memory.ts';
import { SESSION_MS, STORED_RESPONSE_MS } from '../sessions/open-sessions.ts';
import { RequestMemory } from '../sessions/request-memory.ts';
import { PendingWork } from '../sessions/session-store.ts';
import { Agents } from '../strategies/agents.ts';
import { LoadModes } from '../strategies/load-modes.ts';
import { policyOf } from '../strategies/policy.ts';
import { createUpstreams, type Upstream } from '../upstream/choose-upstream.ts';

/** The settings of an engine that differ from the proxy's defaults. */
interface FetchSettings {
  readonly load?: UpstreamSettings['load'];
  readonly settings?: Partial<Settings>;
  /** Memory of the process that is counted on, in bytes. */
  readonly memory?: number;
}

export interface EngineOptions extends FetchSettings {
  /** Receives the record of each exchange when it is over. */
  readonly onRecord?: ((record: ExchangeRecord) => void) | undefined;
}

/** Everything that the exchanges of one `fetch` share. */
export interface Engine {
  readonly context: Omit<RequestContext, 'send'>;
  /** A header that identifies this process as the client; it goes no further. */
  readonly identity: readonly string[];
  /** Returns the upstream of a request in a format at an origin, such as `https://api.openai.com`. */
  upstreamOf(format: Format, origin: string): Upstream;
}

/** The header that stands for a credential, because callers within a process may need none. */
const IDENTITY = 'x-winnow-process';

/** Memory for notes about conversations: it is the caller's own process that holds them. */
const MAX_NOTES_BYTES = 64 * 1024 * 1024;

/** Memory of the caller's process that is counted on, in bytes. */
const MEMORY = 2 ** 31;

/** Interval of the removal of expired notes, in milliseconds. */
const SWEEP_MS = 300_000;

/** Maximum number of known upstreams; a forgotten upstream is created again. */
const MAX_UPSTREAMS = 100;

/** Milliseconds on a monotonic clock. */
const now = () => performance.now();

/**
 * Opens an engine: no server, no threads, no files, and no timer outlives an exchange. Uses random numbers, which
 * some edge runtimes refuse outside of a request.
 */
export function openEngine({
  load = 'auto',
  settings: own,
  memory = MEMORY,
  onRecord,
}: EngineOptions): Engine {
  const settings: Settings = {
    ...defaultsOf(SETTINGS),
    'tools.strategy': 'tool-search',
    'sessions.tenant_headers': [IDENTITY],
    ...own,
  };
  const onDefect = (error: unknown) => console.error(defectLine(error, Date.now()).trimEnd());
  const search = localSearch({ pause });
  const sessions = new MemorySessionStore({
    ttlMs: SESSION_MS,
    lastingTtlMs: STORED_RESPONSE_MS,
    maxBytes: MAX_NOTES_BYTES,
    now,
  });
  const agents = new Agents({ now });
  let sweptAt = now();
  const takeRecord = (record: ExchangeRecord) => {
    agents.learn(record);
    if (now() - sweptAt > SWEEP_MS) {
      sweptAt = now();
      sessions.sweep();
    }
    try {
      onRecord?.(record);
    } catch (error) {
      onDefect(error);
    }
  };
  const context: Engine['context'] = {
    ...policyOf(settings, { pause }),
    searches: { local: search, selector: search },
    sessions,
    sessionSecret: new KeyedHash(crypto.randomUUID(), 'session keys'),
    memory: new RequestMemory({ maxBytes: heldBytesOf(memory), heapShare: () => 0 }),
    // A body that is in memory cannot stall.
    stalls: new StallWatch(0, () => () => {}),
    pendingWork: new PendingWork(),
    agents,
    prices: PRICES,
    loadModes: new LoadModes({ now, say: () => {} }),
    refusedEdits: new RefusedEdits(),
    stopping: new AbortController().signal,
    watchUnread: () => {},
    takeRecord,
    onDefect,
    tracer: SILENT_TRACER,
    effects: { now, wallClock: Date.now, makeId: () => crypto.randomUUID(), every, pause },
  };
  return { context, identity: [IDENTITY, crypto.randomUUID()], upstreamOf: upstreams(load) };
}

/** An interval does not keep the process alive, and an exchange ends its own. */
function every(intervalMs: number, callBack: () => void): () => void {
  const timer = setInterval(callBack, intervalMs).unref();
  return () => clearInterval(timer);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Returns a function that creates each upstream once. */
function upstreams(load: UpstreamSettings['load']): Engine['upstreamOf'] {
  const known = new RecentMap<string, Upstream>(MAX_UPSTREAMS);
  const create = ({ vendor }: Format, origin: string): Upstream => {
    const name = new URL(origin).host;
    const settings = { ...defaultsOf(UPSTREAM_SETTINGS), base_url: origin, format: vendor.name, load };
    return createUpstreams({ [name]: settings as UpstreamSettings }).get(name)!;
  };
  return (format, origin) => known.getOrAdd(`${format.vendor.name} ${origin}`, () => create(format, origin));
}

/** The options of callers: each has the meaning, the default and the bounds of one of the proxy's settings. */
const OPTIONS = {
  alwaysKeep: SETTINGS['tools.always_keep'],
  goal: SETTINGS['tools.goal'],
  load: UPSTREAM_SETTINGS.load,
  maxSearchResults: SETTINGS['tools.max_search_results'],
  preload: SETTINGS['tools.preload'],
} as const;

type Given = Readonly<Record<string, unknown>>;

/**
 * Returns the settings for the options of a caller; an option that is undefined has its default.
 *
 * @throws TypeError for an unknown option, with the nearest known one, or for a wrong value.
 */
export function readFetchOptions(options: Given): FetchSettings {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTIONS, name)) continue;
    const nearest = nearestName(name, Object.keys(OPTIONS));
    throw new TypeError(`there is no option ${name}; the nearest one is ${nearest}.`);
  }
  return {
    load: readOption('load', OPTIONS.load, options),
    settings: {
      'tools.always_keep': readOption('alwaysKeep', OPTIONS.alwaysKeep, options),
      'tools.goal': readOption('goal', OPTIONS.goal, options),
      'tools.max_search_results': readOption('maxSearchResults', OPTIONS.maxSearchResults, options),
      'tools.preload': readOption('preload', OPTIONS.preload, options),
    },
  };
}

function readOption<Value>(
  name: string,
  { schema, default: fallback, allowed }: Setting<Value>,
  { [name]: value }: Given,
): Value {
  if (value === undefined) return fallback;
  const reading = schema.safeParse(value);
  if (reading.success) return reading.data;
  throw new TypeError(`the option ${name} must be ${allowed}.`);
}
