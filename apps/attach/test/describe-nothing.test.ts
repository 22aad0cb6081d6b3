import { expect, test } from 'vitest';
import { describeNothing } from '../src/describe-outcome.ts';

const TOOL = {
  id: 'tool-1',
  name: 'draw',
  description: '',
  toolType: 'external_mcp',
  tags: [],
  schema: undefined,
};
const LIMITS = { total: 12, mcp: 9, leastMcp: 3, dropRate: 0.1 };

test('the response to a request without a query leaves all tools as they are', () => {
  const agent = { id: 'agent-1', tools: [TOOL, { ...TOOL, id: 'tool-2' }] };
  const { success, message, details } = describeNothing(agent, ['tool-2'], {
    limits: LIMITS,
    isDryRun: true,
  });
  expect({ success, message }).toEqual({ success: true, message: 'No tools to attach to agent agent-1' });
  expect(details).toMatchObject({
    detached_tools: [],
    successful_attachments: [],
    failed_attachments: [],
    preserved_tools: ['tool-2'],
    limits: { total: 12, mcp: 9, before: 2, after: 2 },
    dry_run: true,
  });
});
