import { expect, test } from 'vitest';
import { planPruning } from '../../src/plan/plan-attachment.ts';

const LIMITS = { total: 30, mcp: 20, leastMcp: 7, dropRate: 0.1 };
const removable = (count: number) => Array.from({ length: count }, (_, at) => at);

test.each([
  { mcp: 20, total: 25, dropRate: 0.1, left: 18 },
  { mcp: 25, total: 25, dropRate: 0, left: 20 },
  { mcp: 20, total: 38, dropRate: 0, left: 12 },
  { mcp: 20, total: 20, dropRate: 1, left: 7 },
  { mcp: 5, total: 5, dropRate: 1, left: 5 },
  { mcp: 10, total: 10, dropRate: 0.3, left: 7 },
])('of $mcp MCP tools among $total, a rate of $dropRate leaves $left', ({ mcp, total, dropRate, left }) => {
  const pruned = planPruning({ mcp, total, removable: removable(mcp), limits: LIMITS, dropRate });
  expect(pruned).toEqual(removable(mcp - left));
});

test('takes no more than may be detached', () => {
  expect(planPruning({ mcp: 20, total: 20, removable: removable(2), limits: LIMITS, dropRate: 0.5 })).toEqual(
    [0, 1],
  );
});
