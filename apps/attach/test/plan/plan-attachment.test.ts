import { describe, expect, inject, test } from 'vitest';
import type { KnownTool } from '../../src/plan/known-tool.ts';
import { type AttachPlan, type PlanInput, planAttachment } from '../../src/plan/plan-attachment.ts';
import { knownTool, matchOf, randomCase } from './random-agent.ts';

const LIMITS = { total: 30, mcp: 20, leastMcp: 7, dropRate: 0.1 };

function inputOf(tools: readonly KnownTool[], matched: readonly KnownTool[], parts: Partial<PlanInput> = {}) {
  return {
    agent: { id: 'agent-1', tools, ruledNames: new Set<string>() },
    matches: matched.map((tool, place) => matchOf(tool, 90 - place)),
    // The first ones are the least relevant.
    relevanceOf: (id: string) => tools.findIndex((tool) => tool.id === id),
    keep: [],
    protectedNames: [],
    limits: LIMITS,
    autoPrune: true,
    ...parts,
  } satisfies PlanInput;
}

const many = (count: number, letter: string, parts: Partial<KnownTool> = {}) =>
  Array.from({ length: count }, (_, at) => knownTool(`${letter}${at}`, parts));
const ids = (tools: readonly { readonly id?: string | undefined }[]) => tools.map(({ id }) => id);

describe('a plan', () => {
  test('attaches what matched, and detaches what did not, down to the least number, the least relevant first', () => {
    const tools = many(12, 'a');
    const plan = planAttachment(inputOf(tools, many(3, 'n')));
    expect(ids(plan.attach)).toEqual(['tool-n0', 'tool-n1', 'tool-n2']);
    // 12 + 3 - 8 = 7
    expect(ids(plan.detach)).toEqual(ids(tools.slice(0, 8)));
    expect(plan).toMatchObject({ prune: [], cut: [], pruneAfter: [], before: 12, after: 7, warnings: [] });
  });

  test('keeps an attached tool that matched, and does not attach it again', () => {
    const tools = many(9, 'a');
    const plan = planAttachment(inputOf(tools, [tools[0]!]));
    expect(plan).toMatchObject({ attach: [], alreadyAttached: ['tool-a0'] });
    expect(ids(plan.detach)).toEqual(['tool-a1', 'tool-a2']);
  });

  test('makes room by what is least relevant, before anything can be attached, where the limit of all is exceeded', () => {
    const tools = [...many(14, 'o', { toolType: 'custom', tags: [] }), ...many(15, 'a')];
    const plan = planAttachment(inputOf(tools, many(4, 'n')));
    expect(ids(plan.prune)).toEqual(['tool-a0', 'tool-a1', 'tool-a2']);
    expect(plan.forced).toBe(3);
  });

  test('attaches first where only the limit of MCP tools is exceeded', () => {
    const plan = planAttachment(inputOf(many(18, 'a'), many(5, 'n')));
    expect(plan.prune).toHaveLength(3);
    expect(plan.forced).toBe(0);
  });

  test('prunes at most nine tenths, and cuts the last of the new ones then', () => {
    const plan = planAttachment(inputOf(many(10, 'a'), many(20, 'n')));
    // ⌊0.9 · 10⌋ = 9 may go, so that 10 + 20 - 9 = 21 would be one too many.
    expect(plan.prune).toHaveLength(9);
    expect(ids(plan.cut)).toEqual(['tool-n19']);
    expect(ids(plan.detach)).toEqual(['tool-a9']);
    expect(plan.after).toBe(19);
  });

  test('cuts MCP tools alone where there are too many of these', () => {
    const kept = many(20, 'a', { tags: ['mcp:demo', 'protected'] });
    const own = knownTool('own', { toolType: 'custom', tags: [] });
    const plan = planAttachment(inputOf(kept, [knownTool('n'), own]));
    expect(ids(plan.attach)).toEqual(['tool-own']);
    expect(ids(plan.cut)).toEqual(['tool-n']);
  });

  test('an agent with the least number of tools can move', () => {
    const plan = planAttachment(inputOf(many(7, 'a'), many(7, 'n')));
    expect(plan.detach).toHaveLength(7);
    expect(plan.after).toBe(7);
  });

  test('says which limit protected tools exceed alone', () => {
    const tools = [...many(31, 'o', { toolType: 'custom', tags: [] })];
    const plan = planAttachment(inputOf(tools, many(1, 'n')));
    expect(plan.cut).toHaveLength(1);
    expect(plan.warnings).toEqual([
      { code: 'limits_not_met', message: '31 protected tools exceed max_total_tools=30' },
    ]);
  });

  test('says when the minimum does not fit next to the protected tools', () => {
    const tools = [...many(28, 'o', { toolType: 'custom', tags: [] }), ...many(7, 'a')];
    expect(planAttachment(inputOf(tools, [])).warnings).toEqual([
      {
        code: 'limits_not_met',
        message: '28 protected tools and the least number of 7 MCP tools exceed max_total_tools=30',
      },
    ]);
  });

  test('says when keep_tools are not there, and which protection kept what did not match', () => {
    const tools = many(9, 'a');
    const plan = planAttachment(inputOf(tools, [], { keep: ['tool-a0', 'tool-x'], protectedNames: ['a1*'] }));
    expect(plan.kept).toEqual([
      { id: 'tool-a0', protection: 'keep_tools' },
      { id: 'tool-a1', protection: 'name' },
    ]);
    expect(plan.warnings).toMatchObject([{ code: 'keep_tools_not_attached' }]);
  });
});

const GROUPS = inject('isExhaustive') ? 60 : 15;

test.each(Array.from({ length: GROUPS }, (_, group) => group))(
  'holds for random agents, group %i',
  (group) => {
    for (let at = 0; at < 50; at++) {
      const { input, isProtected } = randomCase(group * 50 + at);
      expectPlanHolds(planAttachment(input), input, isProtected);
    }
  },
);

function expectPlanHolds(plan: AttachPlan, input: PlanInput, isProtected: ReadonlySet<string>): void {
  const { agent, limits, matches } = input;
  const gone = new Set(ids([...plan.prune, ...plan.detach, ...plan.pruneAfter]));
  const matched = new Set(ids(matches));
  // No protected and no matched tool goes, and nothing goes twice.
  expect([...gone].filter((id) => isProtected.has(id!) || matched.has(id))).toEqual([]);
  expect(gone.size).toBe(plan.prune.length + plan.detach.length + plan.pruneAfter.length);
  // Every match is attached, there already, or cut.
  expect([...ids(plan.attach), ...plan.alreadyAttached, ...ids(plan.cut)].toSorted()).toEqual(
    ids(matches).toSorted(),
  );
  const after = [
    ...agent.tools.filter(({ id }) => !gone.has(id)).map((tool) => matchOf(tool)),
    ...plan.attach,
  ];
  const mcp = after.filter(({ toolClass }) => toolClass === 'mcp').length;
  expect(plan.after).toBe(after.length);
  // The least number holds, or what there was before, where that is less.
  if (gone.size > 0) expect(mcp).toBeGreaterThanOrEqual(limits.leastMcp);
  // Limits hold, or a warning says that they do not and nothing was attached that makes it worse.
  const isMet = after.length <= limits.total && mcp <= limits.mcp;
  expect(plan.warnings.some(({ code }) => code === 'limits_not_met')).toBe(!isMet);
  if (after.length > limits.total) expect(plan.attach).toEqual([]);
  // While it is carried out, there are never more than the limit of all allows, unless there were before.
  const most = agent.tools.length - plan.forced + plan.attach.length;
  if (agent.tools.length <= limits.total) expect(most).toBeLessThanOrEqual(limits.total);
}
