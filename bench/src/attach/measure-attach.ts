import { type FakeLetta, generateQueries, generateTools, startLetta } from '@winnow/testkit';
import { freePort } from '../free-port.ts';
import { type RunningProcess, startProcess } from '../start-process.ts';
import { toSteps } from './letta-steps.ts';

/** Scope of the measurement. */
export interface AttachPlan {
  /** Number of tools in Letta. */
  readonly tools: number;
  /** Number of requests to warm up with and to measure. */
  readonly warmUp: number;
  readonly requests: number;
}

export const FULL_PLAN: AttachPlan = { tools: 2_000, warmUp: 400, requests: 600 };
export const QUICK_PLAN: AttachPlan = { tools: 2_000, warmUp: 100, requests: 100 };

/** Cost of a request, in milliseconds of processor time. */
export interface AttachMeasurement {
  readonly tools: number;
  readonly attached: number;
  readonly requests: number;
  /** Mean number of Letta calls per request. */
  readonly calls: number;
  readonly serviceMs: number;
  /** Cost of the same calls made by a process that does nothing else. */
  readonly callsMs: number;
}

const SERVICE = new URL('../../../apps/attach/src/main.ts', import.meta.url);
const CALLS_ONLY = new URL('./calls-only.ts', import.meta.url);

/** Number of tools of an agent: 20 from MCP servers and 10 others. */
const [MCP_TOOLS, OTHER_TOOLS] = [20, 10];

/**
 * Measures requests one at a time, each with a different query, and for each the same calls by a process that
 * only makes them.
 */
export async function measureAttach(plan: AttachPlan): Promise<AttachMeasurement> {
  const letta = await startLetta();
  const { agentId, queries } = fill(letta, plan);
  const service = await startProcess({
    file: SERVICE,
    env: {
      ATTACH_SERVER_PORT: String(await freePort()),
      ATTACH_LETTA_BASE_URL: letta.url,
    },
  });
  const callsOnly = await startProcess({ file: CALLS_ONLY, args: [letta.url] });
  try {
    let begun = { service: 0, callsOnly: 0, calls: 0 };
    let calls = 0;
    for (const [at, query] of queries.entries()) {
      if (at === plan.warmUp) begun = { service: cpuOf(service), callsOnly: cpuOf(callsOnly), calls };
      const before = letta.calls.length;
      await post(`${service.url}/api/v1/tools/attach`, { agent_id: agentId, query });
      const made = letta.calls.slice(before);
      calls += made.length;
      await post(callsOnly.url, toSteps(made));
    }
    const { requests } = plan;
    return {
      tools: plan.tools,
      attached: letta.state.agents.get(agentId)!.attached.size,
      requests,
      calls: (calls - begun.calls) / requests,
      serviceMs: (cpuOf(service) - begun.service) / requests,
      callsMs: (cpuOf(callsOnly) - begun.callsOnly) / requests,
    };
  } finally {
    await Promise.all([service.stop(), callsOnly.stop()]);
    await letta.close();
  }
}

function fill({ state }: FakeLetta, { tools: count, warmUp, requests }: AttachPlan) {
  const tools = generateTools({ count, seed: 15 });
  const ids = tools.map(
    ({ name, description, parameters }, at) =>
      state.upsertTool(name, {
        description,
        json_schema: { name, description, parameters },
        ...(at < OTHER_TOOLS ? {} : { tool_type: 'external_mcp', tags: [`mcp:server-${at % 40}`] }),
      }).id,
  );
  // Half of the MCP tools are protected, so the agent keeps its size.
  for (const id of ids.slice(OTHER_TOOLS, OTHER_TOOLS + MCP_TOOLS / 2)) {
    const tool = state.tools.get(id)!;
    state.tools.set(id, { ...tool, tags: [...tool.tags, 'protected'] });
  }
  const agent = state.addAgent(ids.slice(0, OTHER_TOOLS + MCP_TOOLS), []);
  return { agentId: agent.id, queries: generateQueries(tools, { count: warmUp + requests, seed: 16 }) };
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

function cpuOf(process: RunningProcess): number {
  const ms = process.cpuMs();
  if (ms === undefined) throw new Error('this system does not tell the processor time of a process');
  return ms;
}
