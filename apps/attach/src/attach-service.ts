import { createHash } from 'node:crypto';
import type { AttachRequest, AttachResponse, PruneRequest } from '@winnow/core';
import type { Span } from '@winnow/service';
import { AttachError, toAttachError } from './attach-error.ts';
import type { AttachOutcome } from './carry-out.ts';
import { type CarryOutContext, carryOut } from './carry-out.ts';
import type { CatalogueTool, Search } from './catalogue/tool-catalogue.ts';
import { describeNothing, describeOutcome, expectedOutcome } from './describe-outcome.ts';
import type { AgentWriters } from './guard/agent-writers.ts';
import type { AttachStore } from './guard/attach-store.ts';
import { hashOfTools } from './plan/known-tool.ts';
import type { PlannedAttachment } from './prepare-attachment.ts';
import {
  type PrepareContext,
  prepareAttachment,
  preparePruning,
  readForAttachment,
} from './prepare-attachment.ts';

/** The result of a request, for metrics and logs. */
interface AttachReport {
  readonly planned: PlannedAttachment | undefined;
  readonly outcome: AttachOutcome | undefined;
  /** The scores of the tools found, best first. */
  readonly scores: readonly number[];
  readonly durationsMs: { readonly read: number; readonly search: number; readonly change: number };
}

/** A response and its report. */
export interface Attached {
  readonly response: AttachResponse;
  readonly report: AttachReport;
}

/** A request with a limit. */
export type AttachOrder = AttachRequest & { readonly limit: number };

interface AttachServiceOptions extends PrepareContext {
  readonly store: AttachStore;
  readonly writers: AgentWriters;
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  readonly deadline: (timeoutMs: number) => AbortSignal;
  readonly makeId: () => string;
  /** Aborts when the service must stop. */
  readonly ending: AbortSignal;
  readonly onLoopFailure: (error: unknown) => void;
  /** The trace span of the current request, if any. */
  readonly span?: Span;
}

/** The time after which a request begins nothing new, in milliseconds. */
const REQUEST_MS = 30_000;

/** The additional time to finish or undo a change that has begun, in milliseconds. */
const FINISH_MS = 10_000;

/** The message that wakes an agent's loop. */
const WAKE_TEXT = 'Your tools have changed: some were attached to fit what you are about to do.';

/** Executes the requests of the routes, one at a time for each agent. Rejects with an `ApiError` if nothing was changed yet. */
export class AttachService {
  readonly #options: AttachServiceOptions;

  constructor(options: AttachServiceOptions) {
    this.#options = options;
  }

  /** Returns the same service for one request; its calls of Letta become children of the span. */
  under(span: Span): AttachService {
    return new AttachService({ ...this.#options, letta: this.#options.letta.under(span), span });
  }

  /** Attaches the tools that fit a query. */
  async attach(request: AttachOrder): Promise<Attached> {
    if (request.plan_id !== undefined) return await this.#carryOutPlan(request, request.plan_id);
    if (request.query.trim() === '') return await this.#doNothing(request);
    if (request.dry_run) return await this.#dryRun(request);
    return await this.#write(request.agent_id, async (context) => {
      const { planned, scores, durationsMs } = await this.#prepare(request, context.signal);
      return await this.#change(planned, context, { request, scores, durationsMs });
    });
  }

  /** Detaches a share of an agent's MCP tools, the least relevant. */
  async prune(request: PruneRequest): Promise<Attached> {
    return await this.#write(request.agent_id, async (context) => {
      const startedAt = this.#options.now();
      const known = await readForAttachment(request.agent_id, this.#options, context.signal);
      const planned = await preparePruning(request, known, this.#options);
      const durationsMs = { read: this.#options.now() - startedAt, search: 0 };
      return await this.#change(planned, context, { request: undefined, scores: [], durationsMs });
    });
  }

  /** Returns the tools that fit a query, best first, and whether they clearly do. */
  async search(query: string, limit: number): Promise<Pick<Search, 'found' | 'certainty'>> {
    const { keeper, rules, pause } = this.#options;
    await telling(() => keeper.ready());
    return await keeper.catalogue.search(query, { limit, excludesCore: rules.excludesCore }, pause);
  }

  /** Returns all tools that can be found. */
  async listTools(): Promise<readonly CatalogueTool[]> {
    const { keeper } = this.#options;
    await telling(() => keeper.ready());
    return keeper.catalogue.all();
  }

  /** Reads all tools now and returns their number. */
  async refresh(): Promise<number> {
    const { keeper } = this.#options;
    await telling(() => keeper.refresh());
    return keeper.catalogue.size;
  }

  /** Marks the known tools of Letta as outdated. */
  outdate(): void {
    this.#options.keeper.outdate();
  }

  async #prepare(request: AttachOrder, signal: AbortSignal) {
    const { now } = this.#options;
    const startedAt = now();
    const known = await readForAttachment(request.agent_id, this.#options, signal);
    const readAt = now();
    const { planned, scores } = await prepareAttachment(request, known, this.#options);
    const endedAt = now();
    this.#options.span?.addChild('search', { startMs: readAt, endMs: endedAt });
    return { planned, scores, durationsMs: { read: readAt - startedAt, search: endedAt - readAt } };
  }

  async #dryRun(request: AttachOrder): Promise<Attached> {
    const { deadline, store, makeId, rules } = this.#options;
    return await telling(async () => {
      const { planned, scores, durationsMs } = await this.#prepare(request, deadline(REQUEST_MS));
      const planId = makeId();
      await store.savePlan(planId, planned);
      const outcome = expectedOutcome(planned);
      const description = { limits: rules.limits, isDryRun: true, planId, isLoopTriggered: false };
      return {
        response: describeOutcome(planned, outcome, description),
        report: { planned, outcome: undefined, scores, durationsMs: { ...durationsMs, change: 0 } },
      };
    });
  }

  async #carryOutPlan(request: AttachRequest, planId: string): Promise<Attached> {
    const { store, letta, now } = this.#options;
    if (request.dry_run) throw new AttachError('invalid_request', 'plan_id and dry_run cannot be combined.');
    const planned = await telling(() => store.readPlan(planId));
    if (planned === undefined) throw new AttachError('plan_stale', 'This plan is unknown or has expired.');
    if (planned.plan.agentId !== request.agent_id)
      throw new AttachError('invalid_request', 'This plan is for another agent.');
    return await this.#write(request.agent_id, async (context) => {
      const startedAt = now();
      const agent = await letta.readAgent(request.agent_id, context.signal);
      if (hashOfTools(agent.tools) !== planned.plan.toolsHash)
        throw new AttachError('plan_stale', "The agent's tools have changed since the plan was made.");
      const durationsMs = { read: now() - startedAt, search: 0 };
      return await this.#change(planned, context, { request, scores: [], durationsMs });
    });
  }

  async #doNothing({
    agent_id: agentId,
    keep_tools: keep,
    dry_run: isDryRun,
  }: AttachRequest): Promise<Attached> {
    const { letta, deadline, rules, now } = this.#options;
    return await telling(async () => {
      const startedAt = now();
      const agent = await letta.readAgent(agentId, deadline(REQUEST_MS));
      const durationsMs = { read: now() - startedAt, search: 0, change: 0 };
      return {
        response: describeNothing(agent, keep, { limits: rules.limits, isDryRun }),
        report: { planned: undefined, outcome: undefined, scores: [], durationsMs },
      };
    });
  }

  async #write(agentId: string, work: (context: CarryOutContext) => Promise<Attached>): Promise<Attached> {
    const { letta, keeper, rules, deadline, writers } = this.#options;
    const done = await telling(() =>
      writers.run(agentId, (lost) =>
        work({
          letta,
          rules,
          signal: AbortSignal.any([lost, deadline(REQUEST_MS)]),
          lastSignal: deadline(REQUEST_MS + FINISH_MS),
          onRegistered: (tool) => keeper.catalogue.learn([tool]),
          onMissing: (toolId) => {
            keeper.catalogue.forget([toolId]);
            keeper.outdate();
          },
        }),
      ),
    );
    if (done.kind === 'done') return done.result;
    throw new AttachError('in_progress', 'Another request is changing this agent.', {
      headers: { 'retry-after': '1' },
    });
  }

  async #change(
    planned: PlannedAttachment,
    context: CarryOutContext,
    told: {
      readonly request: AttachRequest | undefined;
      readonly scores: readonly number[];
      readonly durationsMs: { readonly read: number; readonly search: number };
    },
  ): Promise<Attached> {
    const { now, rules } = this.#options;
    const startedAt = now();
    const outcome = await carryOut(planned, context);
    const change = now() - startedAt;
    const response = describeOutcome(planned, outcome, {
      limits: rules.limits,
      isDryRun: false,
      isLoopTriggered: told.request?.skip_loop_trigger === false,
    });
    const isTriggered = response.details.loop_triggered && response.success;
    if (isTriggered) this.#wake(planned.plan.agentId);
    return {
      response: { ...response, details: { ...response.details, loop_triggered: isTriggered } },
      report: { planned, outcome, scores: told.scores, durationsMs: { ...told.durationsMs, change } },
    };
  }

  #wake(agentId: string): void {
    const { letta, ending, onLoopFailure } = this.#options;
    letta.wake(agentId, WAKE_TEXT, ending).catch(onLoopFailure);
  }
}

/** Turns failures of Letta into errors of the API. Nothing was changed yet, as executing a plan never rejects. */
async function telling<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toAttachError(error);
  }
}

/** Returns a hash that identifies a request. */
export function hashOfRequest(request: object): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
