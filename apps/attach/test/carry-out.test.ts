import { createRandom, type LettaState, type LettaToolRule } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { carryOut } from '../src/carry-out.ts';
import { CatalogueKeeper } from '../src/catalogue/catalogue-keeper.ts';
import { describeOutcome, expectedOutcome } from '../src/describe-outcome.ts';
import { classOf } from '../src/plan/known-tool.ts';
import {
  type AttachRules,
  type AttachWish,
  prepareAttachment,
  readForAttachment,
} from '../src/prepare-attachment.ts';
import { createMemoryLetta, type MemoryFault, type MemoryLetta } from './memory-letta.ts';

/** Random worlds, with and without faults. */
const isExhaustive = inject('isExhaustive');
const [WORLDS, FAULTY_WORLDS] = isExhaustive ? [600, 20] : [3, 1];

const NEVER = new AbortController().signal;
const LIMITS = { total: 12, mcp: 9, leastMcp: 3, dropRate: 0.1 };

const VERBS = ['create', 'list', 'delete', 'send', 'search', 'draw', 'open', 'close'];
const NOUNS = [
  'chart',
  'document',
  'mail',
  'issue',
  'calendar',
  'invoice',
  'weather',
  'door',
  'photo',
  'song',
];

interface World extends MemoryLetta {
  readonly agentId: string;
  readonly rules: AttachRules;
  readonly wish: AttachWish;
}

/** A server with some 40 tools, an MCP server with more, and an agent with up to 14 of them. */
function randomWorld(seed: number): World {
  const random = createRandom(seed);
  const memory = createMemoryLetta();
  const { state } = memory;
  const names = random.sample(
    VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb}_${noun}`)),
    50,
  );
  const ids = names.slice(0, 40).map((name) => addTool(state, name, random.below(10)));
  const offered = names.slice(40).map((name) => ({ name, description: name.replace('_', ' a ') }));
  state.servers.set('demo', [...offered, { name: names[0]! }]);
  const attached = random.sample(ids, random.between(0, 14));
  const rules: LettaToolRule[] = random
    .sample(attached, random.below(2))
    .map((id) => ({ tool_name: state.tools.get(id)!.name, type: 'exit_loop' }));
  const agent = state.addAgent(attached, rules);
  const topics = random.sample(NOUNS, random.between(1, 4));
  return {
    ...memory,
    get faults() {
      return memory.faults;
    },
    set faults(faults) {
      memory.faults = faults;
    },
    agentId: agent.id,
    rules: { limits: LIMITS, protectedNames: random.sample(names, 2), excludesCore: true },
    wish: {
      query: `${random.pick(VERBS)} ${topics.join(' and ')}`,
      limit: random.between(1, 12),
      min_score: random.pick([0, 35, 60]),
      keep_tools: random.sample(attached, random.below(3)),
      auto_prune: random.chance(0.8),
    },
  };
}

function addTool(state: LettaState, name: string, kind: number): string {
  const parts =
    kind === 0
      ? { tool_type: 'letta_core' }
      : kind === 1
        ? { tool_type: 'custom' }
        : { tool_type: 'external_mcp', tags: kind === 2 ? ['mcp:demo', 'protected'] : ['mcp:demo'] };
  return state.upsertTool(name, { description: name.replace('_', ' a '), ...parts }).id;
}

async function prepare(world: World) {
  const { letta, rules } = world;
  const keeper = new CatalogueKeeper({
    letta,
    now: () => 0,
    deadline: () => NEVER,
    onRead: () => {},
    onFailure: () => {},
  });
  const context = { letta, keeper, rules, pause: async () => {} };
  const known = await readForAttachment(world.agentId, context, NEVER);
  return await prepareAttachment(world.wish, known, context);
}

/** @param signal aborts when nothing new is to be begun */
async function attach(world: World, signal: AbortSignal = NEVER) {
  const prepared = await prepare(world);
  const writes = world.calls.length;
  const outcome = await carryOut(prepared.planned, {
    letta: world.letta,
    rules: world.rules,
    signal,
    lastSignal: NEVER,
    onRegistered: () => {},
    onMissing: () => {},
  });
  return { ...prepared, outcome, firstWrite: writes };
}

const idsOf = ({ state, agentId }: World) =>
  new Set(state.toolsOf(state.agents.get(agentId)!).map(({ id }) => id));

/** The tools that no plan and no fault may take away: protected ones, and those that fit the query. */
function untouchable(world: World, { agent, planned }: Awaited<ReturnType<typeof prepare>>): string[] {
  const { keep_tools: keep } = world.wish;
  const isProtected = agent.tools.filter(
    (tool) =>
      classOf(tool) !== 'mcp' ||
      keep.includes(tool.id) ||
      tool.tags.includes('protected') ||
      agent.ruledNames.has(tool.name) ||
      world.rules.protectedNames.includes(tool.name),
  );
  return [...isProtected.map(({ id }) => id), ...planned.plan.alreadyAttached];
}

describe('without faults', () => {
  test('the agent has what the plan says, and the response is that of the dry run', async () => {
    for (let seed = 0; seed < WORLDS; seed++) {
      const world = randomWorld(seed);
      const before = idsOf(world);
      const result = await attach(world);
      const { planned, outcome } = result;
      const after = idsOf(world);
      const description = { limits: LIMITS, isDryRun: false, isLoopTriggered: false };
      const said = describeOutcome(planned, outcome, description);
      const expected = describeOutcome(planned, expectedOutcome(planned), description);
      const idOf = ({ name }: { name: string }) => name;
      expect({ ...said, details: { ...said.details, successful_attachments: [] } }).toEqual({
        ...expected,
        details: { ...expected.details, successful_attachments: [] },
      });
      expect(said.details.successful_attachments.map(idOf)).toEqual(
        expected.details.successful_attachments.map(idOf),
      );
      expect(after.size).toBe(planned.plan.after);
      expect(untouchable(world, result).filter((id) => !after.has(id))).toEqual([]);
      expectSaid(said, before, after);
      const hasWarning = outcome.warnings.some(({ code }) => code === 'limits_not_met');
      expect(after.size <= LIMITS.total || hasWarning).toBe(true);
    }
  });

  test('asking twice changes nothing more, where everything that fits had room', async () => {
    for (let seed = 0; seed < WORLDS; seed++) {
      const world = randomWorld(seed);
      const { planned } = await attach(world);
      if (planned.plan.cut.length > 0) continue;
      const once = [...idsOf(world)].toSorted();
      const { outcome } = await attach(world);
      expect([...idsOf(world)].toSorted()).toEqual(once);
      expect([...outcome.attached, ...outcome.detached, ...outcome.prunedBefore]).toEqual([]);
    }
  });
});

const FAULTS: readonly MemoryFault[] = [
  'reset',
  'late_reset',
  'silence',
  'nonsense',
  'lost',
  500,
  503,
  404,
  409,
  422,
];

/** A sample takes every third point: other ones for each fault. */
const STRIDE = isExhaustive ? 1 : 3;

describe.each(FAULTS)('when a call meets %s', (fault) => {
  const offset = FAULTS.indexOf(fault) % STRIDE;

  test.each([false, true])(
    'once or for ever (%s), at every point: no agent loses what fits, and the response is true',
    async (isForEver) => {
      let cases = 0;
      for (let seed = 1; seed <= FAULTY_WORLDS; seed++) {
        const probe = randomWorld(seed);
        const { firstWrite } = await attach(probe);
        for (let at = firstWrite + offset; at < probe.calls.length; at += STRIDE) {
          const world = randomWorld(seed);
          world.faults = ({ number }) => (number === at || (isForEver && number > at) ? fault : undefined);
          const before = idsOf(world);
          const result = await attach(world);
          const after = idsOf(world);
          const description = { limits: LIMITS, isDryRun: false, isLoopTriggered: false };
          const said = describeOutcome(result.planned, result.outcome, description);
          expect(untouchable(world, result).filter((id) => !after.has(id))).toEqual([]);
          const codes = said.details.warnings.map(({ code }) => code);
          // What the response says is what the agent has, or it says that it cannot know.
          if (!codes.includes('not_verified')) expectSaid(said, before, after);
          if (!codes.includes('not_verified'))
            expect(after.size <= LIMITS.total || codes.includes('limits_not_met')).toBe(true);
          // Every new tool came, or is named as one that did not.
          const wanted = result.planned.plan.attach.length + result.planned.plan.cut.length;
          expect(said.details.success_count + said.details.failure_count).toBe(wanted);
          // Where nothing came, nothing went, or it is said that it could not be brought back.
          if (result.outcome.isRolledBack && !codes.includes('not_restored'))
            expect([...before].filter((id) => !after.has(id))).toEqual([]);
          cases++;
        }
      }
      expect(cases).toBeGreaterThan((5 * FAULTY_WORLDS) / STRIDE);
    },
  );
});

const WRITES = ['register_tool', 'attach', 'detach'] as const;

describe.each(WRITES)('when every call of %s', (route) => {
  test.each(FAULTS)('meets %s, the response is true, and no agent loses what fits', async (fault) => {
    for (let seed = 1; seed <= WORLDS; seed++) {
      const world = randomWorld(seed);
      world.faults = (call) => (call.route === route ? fault : undefined);
      const before = idsOf(world);
      const result = await attach(world);
      const after = idsOf(world);
      const description = { limits: LIMITS, isDryRun: false, isLoopTriggered: false };
      const said = describeOutcome(result.planned, result.outcome, description);
      expect(untouchable(world, result).filter((id) => !after.has(id))).toEqual([]);
      expect(said.details.warnings.map(({ code }) => code)).not.toContain('not_verified');
      expectSaid(said, before, after);
    }
  });
});

test('when the time is over at any point, what was begun is finished or undone, and the response is true', async () => {
  let cut = 0;
  for (let seed = 1; seed <= 4 * FAULTY_WORLDS; seed++) {
    const probe = randomWorld(seed);
    const { firstWrite } = await attach(probe);
    for (let at = firstWrite; at < probe.calls.length; at++) {
      const world = randomWorld(seed);
      const over = new AbortController();
      world.faults = ({ number, route }) => {
        if (number === at) over.abort();
        // A call is given up when its signal aborts; those that end a change have another one.
        return over.signal.aborted && route === 'attach' && number === at ? 'reset' : undefined;
      };
      const before = idsOf(world);
      const result = await attach(world, over.signal);
      const after = idsOf(world);
      const description = { limits: LIMITS, isDryRun: false, isLoopTriggered: false };
      const said = describeOutcome(result.planned, result.outcome, description);
      expect(untouchable(world, result).filter((id) => !after.has(id))).toEqual([]);
      expectSaid(said, before, after);
      cut += said.details.failure_count;
    }
  }
  expect(cut).toBeGreaterThan(0);
});

test('when no new tool can be attached, the agent gets back all that made room for them', async () => {
  let madeRoom = 0;
  for (let seed = 1; seed <= 10 * WORLDS; seed++) {
    const world = randomWorld(seed);
    const before = idsOf(world);
    world.faults = ({ route, path }) =>
      route === 'attach' && !before.has(path.split('/').at(-1)!) ? 500 : undefined;
    const { planned, outcome } = await attach(world);
    if (planned.plan.attach.length === 0) continue;
    madeRoom += planned.plan.forced;
    expect(outcome.isRolledBack).toBe(true);
    expect([...idsOf(world)].toSorted()).toEqual([...before].toSorted());
    expect(outcome.warnings.map(({ code }) => code)).not.toContain('not_restored');
  }
  expect(madeRoom).toBeGreaterThan(10);
});

test('an attachment that broke off after it was made is found, and counts', async () => {
  let attached = 0;
  for (let seed = 1; seed <= WORLDS; seed++) {
    const world = randomWorld(seed);
    world.faults = ({ route }) => (route === 'attach' ? 'late_reset' : undefined);
    const { planned, outcome } = await attach(world);
    expect(outcome.attached).toHaveLength(planned.plan.attach.length);
    attached += outcome.attached.length;
  }
  expect(attached).toBeGreaterThan(10);
});

function expectSaid(
  { details }: ReturnType<typeof describeOutcome>,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): void {
  expect(details.detached_tools.toSorted()).toEqual([...before].filter((id) => !after.has(id)).toSorted());
  const came = [...after].filter((id) => !before.has(id));
  expect(details.successful_attachments.map(({ tool_id }) => tool_id).toSorted()).toEqual(came.toSorted());
  expect(details.limits).toMatchObject({ before: before.size, after: after.size });
  expect(details.failed_detachments.filter((id) => !after.has(id))).toEqual([]);
}
