import type { HiddenTurn, Plan, RequestView, ResponseAlias } from '@winnow/wire';
import { planOffer } from '../offer/plan-offer.ts';
import type { ExchangeFact } from '../records/exchange-fact.ts';
import { shownTools } from '../records/shown-tools.ts';
import { identityOf, originOf } from '../sessions/identity-of.ts';
import type { KnownResponse } from '../sessions/known-response.ts';
import { sessionBucket } from '../sessions/session-bucket.ts';
import {
  hasCredential,
  namesConversation,
  type SessionIdentity,
  writeTenant,
} from '../sessions/session-identity.ts';
import { sessionKey, tenantKey } from '../sessions/session-key.ts';
import { shortKey } from '../sessions/short-key.ts';
import { isBypass } from '../strategies/bypass.ts';
import { keptByPattern } from '../strategies/never-defer.ts';
import { planRequest } from '../strategies/plan-request.ts';
import { preloadSafely } from '../strategies/preload-safely.ts';
import { ExchangeSession } from './exchange-session.ts';
import type { FormatExchange } from './format-exchange.ts';
import type { ProxyContext } from './proxy-context.ts';

/** What the model shall see of the tools, and what is known of the conversation. */
export interface PlannedExchange {
  readonly plan: Plan;
  /** What the client has not seen of the conversation, oldest first. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Whether the upstream took this conversation only without the thinking in its history. */
  readonly dropsThinking: boolean;
  /** What is known of the stored response that the request goes on from. */
  readonly alias: ResponseAlias | undefined;
  /** Names of the functions that the conversation has shown from its start; few exchanges ask for them. */
  readonly kept: () => readonly string[];
  /** Whether earlier requests of this conversation were edited, as far as is known. */
  readonly wasEdited: boolean;
  readonly session: ExchangeSession;
  /** Whoever sent the request, by a key that says nothing about him. */
  readonly tenant: string;
  /** What has happened, to be told. */
  readonly facts: readonly ExchangeFact[];
}

/** How a request is planned for. */
export interface PlanExchangeOptions {
  /** Takes memory, in bytes; false where there is none. Without it there always is. */
  readonly take?: (bytes: number) => boolean;
  /** Whether the request has the registry's tools in it. False by default. */
  readonly offers?: boolean;
}

/** What planning needs of its surroundings. */
type PlanContext = Pick<
  ProxyContext,
  | 'sessions'
  | 'sessionSecret'
  | 'pendingWork'
  | 'strategy'
  | 'loadModes'
  | 'preload'
  | 'settings'
  | 'onDefect'
  | 'effects'
>;

/** Finds what the conversation has gathered, and decides what the model shall see of the tools. Never rejects. */
export async function planExchange(
  exchange: FormatExchange,
  view: RequestView,
  context: PlanContext,
  known: KnownResponse | undefined,
  { take, offers = false }: PlanExchangeOptions = {},
): Promise<PlannedExchange> {
  const { incoming, target, format } = exchange;
  const { settings, sessionSecret } = context;
  const span = exchange.span.startChild('plan', 'internal');
  try {
    const identity = identityOf(view, originOf(incoming, target, settings['sessions.tenant_headers']));
    // A request that goes on from a response shows the end of its conversation only.
    const key = known?.session ?? sessionKey(identity, sessionSecret);
    const tenant = tenantKey(writeTenant(identity), sessionSecret);
    const isCredited = hasCredential(identity);
    const limit = settings['tools.preload'];
    const keepsPreloaded = limit > 0 && context.strategy.search !== undefined;
    const hasModes = context.loadModes.allowsNative({ format, upstream: target.upstream, view });
    const session = new ExchangeSession(
      {
        tenant,
        session: key ?? 'none',
        format,
        view,
        hasCredential: isCredited,
        bucket: bucketOf(identity, known),
        hasModes,
        keepsOpenings: context.strategy.search !== undefined && hasModes,
        keepsPreloaded: keepsPreloaded && isCredited && key !== undefined && namesConversation(identity),
        take,
        patienceMs: settings['tools.api.timeout'],
      },
      context,
    );
    const { hiddenTurns, preloaded: shownBefore, store, ...read } = await session.read();
    const verdict = read.verdict ?? known?.verdict;
    const preloaded = known?.kept ?? shownBefore?.slice(0, limit) ?? (await preloadSafely(view, context));
    if (known === undefined && shownBefore === undefined) session.keepPreloaded(preloaded);
    const planned = planRequest(
      {
        view,
        hiddenTurns,
        earlierNames: known?.alias.names,
        verdict,
        preloaded,
        format,
        upstream: target.upstream,
        tenant,
      },
      context,
    );
    const plan = offers ? planOffer(planned) : planned;
    const dropsThinking = verdict?.dropsThinking ?? false;
    const tools = shownTools(view, plan);
    const alwaysKeep = keptByPattern(view, settings['tools.always_keep']);
    span.set({ 'winnow.plan_reason': plan.reason, 'winnow.tools.deferred': tools.counts.deferred });
    return {
      plan,
      hiddenTurns,
      dropsThinking,
      alias: known?.alias,
      kept: keptOf(known, view, plan),
      wasEdited: hiddenTurns.length > 0 || (verdict !== undefined && verdict.mode !== 'bypass'),
      session,
      tenant,
      facts: [
        { kind: 'session_read', session: shortKey(key), hiddenTurns: hiddenTurns.length, store },
        {
          kind: 'planned',
          reason: plan.reason,
          loadMode: plan.loadMode,
          tools,
          ...(!isBypass(plan) && !known && preloaded.length > 0 && { preloaded: preloaded.length }),
          ...(alwaysKeep && { alwaysKeep }),
          look: { plan, section: view.toolSection, preloaded, chosen: view.toolChoice.names },
        },
      ],
    };
  } finally {
    span.end();
  }
}

/** Where the session stands among all. Made apart from what awaits, as every closure that outlives a step. */
function bucketOf(identity: SessionIdentity, known: KnownResponse | undefined): () => number | undefined {
  return () => (known === undefined ? sessionBucket(identity) : known.bucket);
}

function keptOf(known: KnownResponse | undefined, view: RequestView, plan: Plan): () => readonly string[] {
  return () => known?.kept ?? keptNames(view, plan);
}

/** More than a conversation shows from its start; a client that goes on from a stored response may declare anything. */
const MOST_KEPT = 256;

/** The functions that a plan does not defer. */
function keptNames({ tools }: RequestView, { defer }: Plan): string[] {
  const deferred = new Set(defer);
  const names = tools.flatMap(({ kind, name }) => (kind === 'function' && name !== undefined ? [name] : []));
  return names.filter((name) => !deferred.has(name)).slice(0, MOST_KEPT);
}
