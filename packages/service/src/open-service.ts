import { SILENT_TRACER, type Tracer } from '@winnow/tracing';
import { Admission } from './api/admission.ts';
import { BodyMemory } from './api/body-memory.ts';
import { Drain } from './drain.ts';
import { createLog, type LogLevel } from './log.ts';
import { readServerTls, type ServerTlsFiles } from './tls/read-server-tls.ts';
import { waitFor } from './wait-for.ts';

/** Everything that a service takes from the world around it. */
export interface ServiceEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** A new id that cannot be guessed. */
  readonly makeId: () => string;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Log lines that could not be written so far; none by default. */
  readonly lostLines?: () => number;
  /** Begins the spans of requests; there are none by default. */
  readonly tracer?: Tracer;
  /** A signal that aborts after so many milliseconds; `AbortSignal.timeout` by default. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** From 0 to below 1; `Math.random` by default. */
  readonly random?: () => number;
  /** Waits; ends early when the signal aborts. A timer of Node's by default. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls again and again, until the function that it gives is called; a timer of Node's by default. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
  /** Calls once, unless the function that it gives is called before; a timer of Node's by default. */
  readonly after?: (delayMs: number, call: () => void) => () => void;
}

/** The limits that every service has. */
export interface ServiceLimits extends ServerTlsFiles {
  readonly logLevel: LogLevel;
  /** Most requests that are received or answered at a time. */
  readonly maxWaiting: number;
  /** Most bytes of bodies that are held at a time. */
  readonly maxHeldBytes: number;
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
}

/** The parts that every service has alike, from its settings and its effects. */
export type ServiceParts = ReturnType<typeof openService>;

/** Makes the parts of a service. Throws an error that names the setting when a certificate file is no good. */
export function openService(settings: ServiceLimits, effects: ServiceEffects) {
  const { now, wallClock, makeId, writeLog, lostLines = () => 0 } = effects;
  const drain = new Drain();
  const admission = new Admission(settings.maxWaiting);
  const bodyMemory = new BodyMemory(settings.maxHeldBytes);
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
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs },
    /** The state of requests that metrics show. */
    meters: { waiting: () => admission.waiting, heldBytes: () => bodyMemory.held, lostLines },
  };
}

function everyInterval(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs);
  return () => clearInterval(timer);
}

function afterDelay(delayMs: number, call: () => void): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}
