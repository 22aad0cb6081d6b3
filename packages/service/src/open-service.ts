import { Admission } from './api/admission.ts';
import { BodyMemory } from './api/body-memory.ts';
import type { Party } from './bounds/shares.ts';
import { Drain } from './drain.ts';
import { createLog, type LogLevel } from './log.ts';
import { afterDelay, everyInterval } from './timers.ts';
import { readServerTls, type ServerTlsFiles } from './tls/read-server-tls.ts';
import { SILENT_TRACER } from './tracing/silent-tracer.ts';
import type { Tracer } from './tracing/span.ts';
import { waitFor } from './wait-for.ts';

/** The effects that a service takes from its environment. */
export interface ServiceEffects {
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  /** Returns milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Returns a new id that cannot be guessed. */
  readonly makeId: () => string;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Returns the number of log lines that could not be written so far; 0 by default. */
  readonly lostLines?: () => number;
  /** Begins the spans of requests; no spans by default. */
  readonly tracer?: Tracer;
  /** Returns a signal that aborts after this many milliseconds; `AbortSignal.timeout` by default. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** Returns a number from 0 to below 1; `Math.random` by default. */
  readonly random?: () => number;
  /** Waits; ends early when the signal aborts. A Node timer by default. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls repeatedly, until the returned function is called; a Node timer by default. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
  /** Calls once, unless the returned function is called before; a Node timer by default. */
  readonly after?: (delayMs: number, call: () => void) => () => void;
}

/** The limits that every service has. */
export interface ServiceLimits extends ServerTlsFiles {
  readonly logLevel: LogLevel;
  /** The most requests that are received or answered at a time. */
  readonly maxWaiting: number;
  /** The most bytes of bodies that are held at a time. */
  readonly maxHeldBytes: number;
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
}

/** The parts that every service has, made from its settings and its effects. */
export type ServiceParts = ReturnType<typeof openService>;

/**
 * Makes the parts of a service. Throws an error that names the setting when a certificate file is invalid.
 *
 * @param parties those who send requests, where they can be told apart; each has its share of what may wait.
 */
export function openService(
  settings: ServiceLimits,
  effects: ServiceEffects,
  parties: readonly Party[] = [],
) {
  const { now, wallClock, makeId, writeLog, lostLines = () => 0 } = effects;
  const drain = new Drain();
  const admission = new Admission(settings.maxWaiting, parties);
  const bodyMemory = new BodyMemory(settings.maxHeldBytes);
  const bodyLimits = { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs };
  return {
    now,
    wallClock,
    makeId,
    tracer: effects.tracer ?? SILENT_TRACER,
    deadline: effects.deadline ?? AbortSignal.timeout,
    random: effects.random ?? Math.random,
    wait: effects.wait ?? waitFor,
    every: effects.every ?? everyInterval,
    after: effects.after ?? afterDelay,
    tls: readServerTls(settings),
    log: createLog({ level: settings.logLevel, sink: writeLog, wallClock }),
    drain,
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    admission,
    bodyMemory,
    bodyLimits,
    /** Takes limits over from the next request on. */
    useLimits: ({ maxBodyBytes }: Pick<ServiceLimits, 'maxBodyBytes'>) => {
      bodyLimits.maxBytes = maxBodyBytes;
    },
    /** The state of requests that metrics show. */
    meters: { waiting: () => admission.waiting, heldBytes: () => bodyMemory.held, lostLines },
  };
}
