import { createRandom } from '@winnow/testkit';
import { expect, inject, test } from 'vitest';
import { planAttachment, settlePlan } from '../../src/plan/plan-attachment.ts';
import { randomCase } from './random-agent.ts';

const WORLDS = inject('isExhaustive') ? 2_000 : 100;

test('when all goes well, the rest of a plan is what it says', () => {
  for (let seed = 0; seed < WORLDS; seed++) {
    const { input } = randomCase(seed);
    const plan = planAttachment(input);
    const gone = plan.prune.slice(0, plan.forced);
    const { restore, prune, detach } = settlePlan(plan, { attached: plan.attach, gone }, input.limits);
    expect({ restore, prune, detach }).toEqual({
      restore: [],
      prune: plan.prune.slice(plan.forced),
      detach: plan.detach,
    });
  }
});

test('when nothing could be attached, nothing is taken away and everything comes back', () => {
  for (let seed = 0; seed < WORLDS; seed++) {
    const { input } = randomCase(seed);
    const plan = planAttachment(input);
    if (plan.attach.length === 0) continue;
    const gone = plan.prune.slice(0, plan.forced);
    expect(settlePlan(plan, { attached: [], gone }, input.limits)).toEqual({
      restore: gone.toReversed(),
      prune: [],
      detach: [],
      isRolledBack: true,
    });
  }
});

test('when some could not be attached, the least number of MCP tools holds all the same', () => {
  let restored = 0;
  for (let seed = 0; seed < 2 * WORLDS; seed++) {
    const { input } = randomCase(seed);
    const plan = planAttachment(input);
    const random = createRandom(seed + 1);
    const attached = plan.attach.filter(() => random.chance(0.5));
    const gone = plan.prune.slice(0, plan.forced);
    const { restore, prune, detach, isRolledBack } = settlePlan(plan, { attached, gone }, input.limits);
    if (isRolledBack) continue;
    restored += restore.length;
    const newMcp = attached.filter(({ toolClass }) => toolClass === 'mcp').length;
    const mcp = plan.mcpBefore - gone.length + newMcp + restore.length - prune.length - detach.length;
    expect(mcp).toBeGreaterThanOrEqual(Math.min(input.limits.leastMcp, plan.mcpBefore));
  }
  expect(restored).toBeGreaterThan(0);
});
