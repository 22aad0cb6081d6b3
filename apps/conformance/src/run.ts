import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { createProvider, createRandom } from '@winnow/testkit';
import {
  type CaseContext,
  type ConformanceCase,
  type Group,
  groupOf,
  type Play,
} from './conformance-case.ts';
import { judgeConversation } from './converse.ts';
import type { FormatName, HeaderList } from './formats/client-format.ts';
import { CLIENT_FORMATS } from './formats/formats.ts';
import { decodeStream } from './judge/decode-stream.ts';
import { decompress } from './judge/decompress.ts';
import { judgeExchange, withoutKey } from './judge/judge-exchange.ts';
import type { Exchange, Seen } from './wire/exchange.ts';
import { playExchange } from './wire/play-exchange.ts';
import type { WireProvider } from './wire/wire-provider.ts';

/** The gateway under test, and what belongs to it alone. */
export interface Gateway {
  /** Address of each format; without a slash at the end. */
  readonly urlOf: (format: FormatName) => string;
  readonly modelOf: (format: FormatName) => string;
  /** Headers for the gateway, which the provider need not receive. */
  readonly headers: HeaderList;
  /** Whether the gateway has a key of its own, and replaces the client's credential. */
  readonly hasKey: boolean;
}

/** One case in one format. */
export interface Row {
  readonly id: string;
  readonly group: Group;
  readonly format: FormatName;
  readonly promise: string;
}

/** The judgement of one case in one format. */
export interface Verdict extends Row {
  /** Findings that break the promise; empty if the case passed. */
  readonly faults: readonly string[];
  readonly ms: number;
}

/** Context for judging cases. */
export interface Run {
  readonly gateway: Gateway;
  readonly provider: WireProvider;
  readonly seed: number;
  /** Longest wait for one thing to arrive, in milliseconds. */
  readonly patienceMs: number;
  /** Whether the gateway claims to hold tools back. */
  readonly holdsBack?: boolean;
}

/** The run as one client of a case has it. */
interface ClientRun extends Run {
  readonly agent?: Agent | undefined;
}

/** Part of all credentials: gateways remember clients, and a second run should not depend on the first. */
const RUN = Date.now().toString(36);

/** Headers by which a client proves who it is. */
const CREDENTIALS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];

/** Returns the judgement of one case in one format. */
export async function judgeCase(
  one: ConformanceCase,
  format: FormatName,
  number: number,
  run: Run,
): Promise<Verdict> {
  const start = performance.now();
  const faults = await findFaults(one, format, number, run).catch((error: unknown) => [
    `the case could not be played: ${error instanceof Error ? error.message : error}`,
  ]);
  const ms = Math.round(performance.now() - start);
  return { id: one.id, group: groupOf(one), format, promise: one.promise, faults: [...new Set(faults)], ms };
}

async function findFaults(
  one: ConformanceCase,
  name: FormatName,
  number: number,
  run: Run,
): Promise<string[]> {
  const { play } = one;
  const clients = play.kind === 'exchanges' ? (play.clients ?? 1) : 1;
  const allArrived = meetingOf(clients, run.patienceMs);
  const judged = await Promise.all(
    Array.from({ length: clients }, (_, client) =>
      judgeClient(one, { ...contextOf(name, number + client, run), allArrived }, run),
    ),
  );
  return judged.flat();
}

/** Returns a function that resolves once it has been called this often, and rejects if that takes too long. */
function meetingOf(size: number, patienceMs: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return async () => {
    arrived += 1;
    if (arrived === size) resolve();
    const isLate = await Promise.race([promise.then(() => false), delay(patienceMs, true, { ref: false })]);
    if (isLate) throw new Error(`only ${arrived} of ${size} requests reached the provider at once`);
  };
}

/** Returns what a case of this number, unique in the run, writes its requests and responses with. */
export function contextOf(
  name: FormatName,
  number: number,
  { gateway, seed }: Pick<Run, 'gateway' | 'seed'>,
): CaseContext {
  const format = CLIENT_FORMATS[name];
  const marker = `kit-${String(number).padStart(6, '0')}`;
  return {
    format,
    model: gateway.modelOf(name),
    marker,
    headers: format.headers(`sk-${RUN}-${marker}`),
    provider: createProvider(),
    random: createRandom(seed + number),
    allArrived: async () => {},
  };
}

async function judgeClient({ play }: ConformanceCase, context: CaseContext, run: Run): Promise<string[]> {
  if (play.kind === 'conversation') {
    return judgeConversation(context, play.conversation(context), (exchange) => send(exchange, context, run));
  }
  const isSecure = run.gateway.urlOf(context.format.name).startsWith('https:');
  const agent = play.keepsConnection
    ? new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 1 })
    : undefined;
  try {
    return await judgeExchanges(play, context, { ...run, agent });
  } finally {
    agent?.destroy();
  }
}

async function judgeExchanges(
  play: Extract<Play, { readonly kind: 'exchanges' }>,
  context: CaseContext,
  run: ClientRun,
): Promise<string[]> {
  const { gateway, holdsBack = false } = run;
  const ownHeaders = [
    ...gateway.headers.map(([name]) => name.toLowerCase()),
    ...(gateway.hasKey ? CREDENTIALS : []),
  ];
  const faults: string[] = [];
  for (const exchange of play.exchanges(context)) {
    const seen = await send(exchange, context, run);
    if (exchange.isPrelude) continue;
    const { hasKey } = gateway;
    faults.push(
      ...judgeExchange(exchange, seen, play.judges, {
        ...{ format: context.format, ownHeaders, hasKey, holdsBack },
        host: new URL(gateway.urlOf(context.format.name)).host,
      }),
    );
    if (faults.length > 0) break;
  }
  return faults;
}

function send(exchange: Exchange, { format, marker }: CaseContext, run: ClientRun): Promise<Seen> {
  const { gateway, provider, patienceMs, agent } = run;
  const { request } = exchange;
  const own = new Set(gateway.headers.map(([name]) => name.toLowerCase()));
  const headers = [...request.headers.filter(([name]) => !own.has(name.toLowerCase())), ...gateway.headers];
  const hasText = (body: Buffer, text: string, encoding: string | undefined): boolean => {
    try {
      const plain = decompress(body, encoding);
      if (plain.includes(text)) return true;
      return decodeStream(plain, format.framing).some(({ data }) => data.includes(text));
    } catch {
      // Its first bytes are not enough.
      return false;
    }
  };
  const path = gateway.hasKey ? withoutKey(request.path) : request.path;
  return playExchange({ ...exchange, request: { ...request, path, headers } }, marker, {
    url: gateway.urlOf(format.name),
    provider,
    patienceMs,
    hasText,
    agent,
  });
}
