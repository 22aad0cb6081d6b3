import { Slots } from '@winnow/service';
import type { Letta } from './letta/letta-client.ts';
import { LettaFailure } from './letta/read-answers.ts';
import { type Agent, type KnownTool, protectionOf } from './plan/known-tool.ts';
import {
  isMcp,
  leastRelevantFirst,
  type Match,
  type NamedTool,
  planPruning,
  settlePlan,
  type Warning,
} from './plan/plan-attachment.ts';
import type { AttachRules, PlannedAttachment } from './prepare-attachment.ts';

/** A new tool that was attached. */
interface AttachedMatch extends NamedTool {
  readonly score: number;
}

/** The reason why a tool that passed was not attached. */
type AttachFailure =
  | 'limit'
  | 'not_found'
  | 'not_registered'
  | 'letta_error'
  | 'letta_timeout'
  | 'lost_after_attach';

interface FailedMatch {
  readonly id: string | undefined;
  readonly name: string;
  readonly error: AttachFailure;
}

/** The changes of an agent's tools that Letta confirmed. */
export interface AttachOutcome {
  readonly attached: readonly AttachedMatch[];
  readonly failed: readonly FailedMatch[];
  /** Ids of the detached tools, by reason. */
  readonly prunedBefore: readonly string[];
  readonly detached: readonly string[];
  readonly prunedAfter: readonly string[];
  /** Ids of tools that could not be detached. */
  readonly failedDetachments: readonly string[];
  /** Whether the agent got back its tools because none could be attached. */
  readonly isRolledBack: boolean;
  readonly after: number;
  readonly warnings: readonly Warning[];
}

/** Context for executing a plan. */
export interface CarryOutContext {
  readonly letta: Letta;
  readonly rules: AttachRules;
  /** Aborts when no more tools may be attached. */
  readonly signal: AbortSignal;
  /** Aborts later, when every started change must be finished or undone. */
  readonly lastSignal: AbortSignal;
  readonly onRegistered: (tool: KnownTool) => void;
  /** Called when Letta no longer has a tool. */
  readonly onMissing: (toolId: string) => void;
}

/** The largest number of concurrent calls for one agent. */
const CALLS_AT_ONCE = 8;

interface Registered extends NamedTool {
  readonly match: Match;
}

/**
 * Carries out a plan. Detaches tools to make room, attaches the new ones, and detaches tools that did not match
 * last, so that an agent never loses a tool before its replacement is attached. If nothing could be attached,
 * the detached tools are attached again. Never rejects: the outcome describes the agent whatever Letta does.
 */
export function carryOut(planned: PlannedAttachment, context: CarryOutContext): Promise<AttachOutcome> {
  return new CarryingOut(planned, context).run();
}

class CarryingOut {
  readonly #planned: PlannedAttachment;
  readonly #context: CarryOutContext;
  readonly #slots = new Slots(CALLS_AT_ONCE);
  readonly #warnings: Warning[] = [];

  constructor(planned: PlannedAttachment, context: CarryOutContext) {
    this.#planned = planned;
    this.#context = context;
  }

  async run(): Promise<AttachOutcome> {
    const { plan } = this.#planned;
    // 1. Register the tools that do not exist yet. This changes no agent.
    const { registered, failed } = await this.#register(plan.attach);
    // 2. Make room, but not more than the new tools need.
    const forced = plan.prune.slice(0, Math.max(0, plan.forced - failed.length));
    const { gone, unsure } = await this.#makeRoom(forced);
    // 3. If a tool could not be detached, the last of the new tools do not fit.
    const room = registered.length - (forced.length - gone.length);
    const attached = await this.#attach(registered.slice(0, Math.max(0, room)), failed);
    for (const { match } of registered.slice(Math.max(0, room))) failed.push(failure(match, 'limit'));
    // 4. Decide the rest by the tools that were actually attached.
    const settlement = settlePlan(
      plan,
      { attached: attached.map(({ match }) => match), gone },
      this.#context.rules.limits,
    );
    // Attaching a tool that was never detached does no harm.
    const restore = [...settlement.restore, ...(settlement.isRolledBack ? unsure : [])];
    await this.#restore(restore);
    const restored = new Set(idsOf(restore));
    await this.#detach([...settlement.prune, ...settlement.detach]);
    // 5. A 200 from Letta proves nothing: verify the agent's tools at the end.
    return await this.#verify({
      attached,
      failed,
      prunedBefore: [...gone.filter(({ id }) => !restored.has(id)), ...settlement.prune],
      restored: restore,
      detached: settlement.detach,
      notGone: forced.filter((tool) => !gone.includes(tool)),
      isRolledBack: settlement.isRolledBack,
    });
  }

  async #register(matches: readonly Match[]): Promise<{ registered: Registered[]; failed: FailedMatch[] }> {
    const { letta, signal, onRegistered } = this.#context;
    const failed: FailedMatch[] = [];
    const results = await Promise.all(
      matches.map((match) =>
        this.#slots.run(async (): Promise<Registered[]> => {
          const { id, name, server } = match;
          if (id !== undefined) return [{ id, name, match }];
          try {
            const tool = await letta.register(server!, name, signal);
            onRegistered(tool);
            return [{ id: tool.id, name: tool.name, match }];
          } catch {
            failed.push(failure(match, 'not_registered'));
            return [];
          }
        }),
      ),
    );
    return { registered: results.flat(), failed };
  }

  /** Returns the attached tools. A failed call may have had its effect, so the agent is read again. */
  async #attach(tools: readonly Registered[], failed: FailedMatch[]): Promise<readonly Registered[]> {
    const { letta, signal, lastSignal, onMissing } = this.#context;
    const { agentId } = this.#planned.plan;
    const errors = new Map<Registered, unknown>();
    await this.#each(tools, async (tool) => {
      try {
        await letta.attach(agentId, tool.id, signal);
      } catch (error) {
        errors.set(tool, error);
      }
    });
    const isUncertain = [...errors.values()].some(
      (error) => !(error instanceof LettaFailure) || error.isUncertain,
    );
    const agent = isUncertain ? await this.#read(lastSignal) : undefined;
    const has = new Set(agent?.tools.map(({ id }) => id));
    for (const [{ id, match }, error] of errors) {
      if (has.has(id)) continue;
      const reason = attachFailureOf(error);
      if (reason === 'not_found') onMissing(id);
      failed.push(failure({ ...match, id }, reason));
    }
    return tools.filter((tool) => !errors.has(tool) || has.has(tool.id));
  }

  /** Returns the detached tools, and those whose state is unknown. */
  async #makeRoom(
    tools: readonly NamedTool[],
  ): Promise<{ gone: readonly NamedTool[]; unsure: readonly NamedTool[] }> {
    const gone = await this.#detach(tools);
    if (gone.length === tools.length) return { gone, unsure: [] };
    const agent = await this.#read(this.#context.lastSignal);
    if (agent === undefined) return { gone, unsure: tools.filter((tool) => !gone.includes(tool)) };
    const has = new Set(idsOf(agent.tools));
    return { gone: tools.filter(({ id }) => !has.has(id)), unsure: [] };
  }

  /** Returns the tools that Letta reports as detached. */
  async #detach(tools: readonly NamedTool[]): Promise<readonly NamedTool[]> {
    const { letta, lastSignal } = this.#context;
    const { agentId } = this.#planned.plan;
    const kept = new Set<NamedTool>();
    await this.#each(tools, async (tool) => {
      await letta.detach(agentId, tool.id, lastSignal).catch(() => kept.add(tool));
    });
    return tools.filter((tool) => !kept.has(tool));
  }

  async #restore(tools: readonly NamedTool[]): Promise<void> {
    const { letta, lastSignal } = this.#context;
    await this.#each(tools, async ({ id }) => {
      // The final check shows whether the tool is back.
      await letta.attach(this.#planned.plan.agentId, id, lastSignal).catch(() => {});
    });
  }

  async #each<Tool>(tools: readonly Tool[], work: (tool: Tool) => Promise<void>): Promise<void> {
    await Promise.all(tools.map((tool) => this.#slots.run(() => work(tool))));
  }

  async #read(signal: AbortSignal): Promise<Agent | undefined> {
    return await this.#context.letta.readAgent(this.#planned.plan.agentId, signal).catch(() => undefined);
  }

  async #verify(done: Done): Promise<AttachOutcome> {
    const hasWritten =
      done.attached.length + done.failed.length + done.prunedBefore.length + done.detached.length > 0 ||
      done.restored.length + done.notGone.length > 0;
    const isNeeded = hasWritten || this.#planned.plan.pruneAfter.length > 0;
    const agent = isNeeded ? await this.#read(this.#context.lastSignal) : undefined;
    if (agent === undefined) return this.#unverified(done, isNeeded);
    const has = new Set(agent.tools.map(({ id }) => id));
    const lost = done.attached.filter(({ id }) => !has.has(id));
    const absent = done.restored.filter(({ id }) => !has.has(id));
    const stuck = [...done.prunedBefore, ...done.detached].filter(({ id }) => has.has(id));
    if (lost.length > 0)
      this.#warn('lost_after_attach', `Letta attached ${listOf(lost)} and has lost it again.`);
    if (absent.length > 0) this.#warn('not_restored', `${listOf(absent)} could not be attached again.`);
    const mayPrune = this.#planned.autoPrune && !done.isRolledBack;
    const pruned = mayPrune ? await this.#prune(agent, done) : { gone: [], kept: [], after: agent };
    const left = new Set(pruned.after.tools.map(({ id }) => id));
    this.#warnOfLimits(pruned.after);
    return {
      attached: done.attached.filter(({ id }) => has.has(id)).map(toAttached),
      failed: [
        ...done.failed,
        ...lost.map(({ match, id }) => failure({ ...match, id }, 'lost_after_attach')),
      ],
      prunedBefore: idsOf([...done.prunedBefore.filter(({ id }) => !has.has(id)), ...absent]),
      detached: idsOf(done.detached.filter(({ id }) => !has.has(id))),
      prunedAfter: idsOf(pruned.gone),
      failedDetachments: [
        ...new Set(idsOf([...stuck, ...done.notGone, ...pruned.kept]).filter((id) => left.has(id))),
      ],
      isRolledBack: done.isRolledBack,
      after: pruned.after.tools.length,
      warnings: [
        ...this.#planned.warnings.filter(({ code }) => code !== 'limits_not_met'),
        ...this.#warnings,
      ],
    };
  }

  /** Prunes the agent's current tools. There is work if tools could not be detached, or if others attached some in the meantime. */
  async #prune(
    agent: Agent,
    done: Done,
  ): Promise<{ gone: readonly NamedTool[]; kept: readonly NamedTool[]; after: Agent }> {
    const { rules } = this.#context;
    const { plan, keep, relevance } = this.#planned;
    const matched = new Set([
      ...plan.alreadyAttached,
      ...idsOf(done.attached),
      ...plan.attach.map(({ id }) => id),
    ]);
    const removable = this.#removableOf(agent, keep).filter(({ id }) => !matched.has(id));
    const pruned = planPruning({
      mcp: agent.tools.filter(isMcp).length,
      total: agent.tools.length,
      removable: leastRelevantFirst(removable, (id) => relevance[id] ?? 0),
      limits: rules.limits,
      dropRate: rules.limits.dropRate,
    });
    if (pruned.length === 0) return { gone: [], kept: [], after: agent };
    const said = await this.#detach(pruned);
    const after = await this.#read(this.#context.lastSignal);
    if (after === undefined) {
      this.#warnUnverified();
      const gone = new Set(idsOf(said));
      const tools = agent.tools.filter(({ id }) => !gone.has(id));
      return { gone: said, kept: pruned.filter((tool) => !said.includes(tool)), after: { ...agent, tools } };
    }
    const has = new Set(after.tools.map(({ id }) => id));
    return {
      gone: pruned.filter(({ id }) => !has.has(id)),
      kept: pruned.filter(({ id }) => has.has(id)),
      after,
    };
  }

  #removableOf(agent: Agent, keep: readonly string[]): readonly KnownTool[] {
    const rules = {
      names: this.#context.rules.protectedNames,
      keep: new Set(keep),
      ruledNames: agent.ruledNames,
    };
    return agent.tools.filter((tool) => protectionOf(tool, rules) === undefined);
  }

  /** Returns the outcome by Letta's response to each call, when the agent cannot be read afterwards. */
  #unverified(done: Done, isNeeded: boolean): AttachOutcome {
    if (isNeeded) this.#warnUnverified();
    if (done.restored.length > 0)
      this.#warn('not_restored', `It is unknown whether ${listOf(done.restored)} could be attached again.`);
    const gone = done.prunedBefore.length + done.detached.length;
    return {
      attached: done.attached.map(toAttached),
      failed: done.failed,
      prunedBefore: idsOf(done.prunedBefore),
      detached: idsOf(done.detached),
      prunedAfter: [],
      failedDetachments: idsOf(done.notGone),
      isRolledBack: done.isRolledBack,
      after: this.#planned.plan.before + done.attached.length - gone,
      warnings: [...this.#planned.warnings, ...this.#warnings],
    };
  }

  #warnUnverified(): void {
    this.#warn('not_verified', 'The tools that the agent has now could not be read from Letta.');
  }

  /** Warns with the plan's message if everything went as planned, else with the actual numbers. */
  #warnOfLimits(after: Agent): void {
    const { limits } = this.#context.rules;
    const expected = this.#planned.warnings.filter(({ code }) => code === 'limits_not_met');
    const counts = [
      { name: 'max_total_tools', most: limits.total, count: after.tools.length },
      { name: 'max_mcp_tools', most: limits.mcp, count: after.tools.filter(isMcp).length },
    ];
    for (const { name, most, count } of counts) {
      if (count <= most) continue;
      const planned = expected.find(({ message }) => message.endsWith(`${name}=${most}`));
      this.#warn(
        'limits_not_met',
        planned?.message ?? `${count} tools are left, which exceeds ${name}=${most}`,
      );
    }
  }

  #warn(code: Warning['code'], message: string): void {
    this.#warnings.push({ code, message });
  }
}

/** The executed changes, not yet verified. */
interface Done {
  readonly attached: readonly Registered[];
  readonly failed: readonly FailedMatch[];
  readonly prunedBefore: readonly NamedTool[];
  readonly restored: readonly NamedTool[];
  readonly detached: readonly NamedTool[];
  /** Tools that should have made room and could not be detached. */
  readonly notGone: readonly NamedTool[];
  readonly isRolledBack: boolean;
}

function attachFailureOf(error: unknown): AttachFailure {
  if (!(error instanceof LettaFailure)) return 'letta_error';
  if (error.reason === 'not_found') return 'not_found';
  return error.reason === 'timeout' ? 'letta_timeout' : 'letta_error';
}

function failure({ id, name }: Pick<Match, 'id' | 'name'>, error: AttachFailure): FailedMatch {
  return { id, name, error };
}

function toAttached({ id, name, match }: Registered): AttachedMatch {
  return { id, name, score: match.score };
}

function idsOf(tools: readonly Pick<NamedTool, 'id'>[]): string[] {
  return tools.map(({ id }) => id);
}

function listOf(tools: readonly NamedTool[]): string {
  return tools.map(({ name }) => name).join(', ');
}
