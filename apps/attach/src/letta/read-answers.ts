import { z } from 'zod';
import type { Agent, KnownTool } from '../plan/known-tool.ts';

/** Why a call of Letta failed. */
type LettaFailureReason =
  /** The agent or the tool does not exist. */
  | 'not_found'
  /** Letta considers an id or a value malformed. */
  | 'rejected'
  /** The password is wrong. */
  | 'unauthorized'
  /** The status says that Letta itself fails, or that its database has a conflict. */
  | 'unavailable'
  /** There was no connection, or it broke. */
  | 'unreachable'
  /** Letta did not respond in time. */
  | 'timeout'
  /** The response has another form. */
  | 'invalid_response';

/** A failed call of Letta. The message holds no part of the response. */
export class LettaFailure extends Error {
  override readonly name = 'LettaFailure';
  readonly reason: LettaFailureReason;

  constructor(reason: LettaFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** Whether the call may still have had its effect. */
  get isUncertain(): boolean {
    return !['not_found', 'rejected', 'unauthorized'].includes(this.reason);
  }
}

const Schema = z.record(z.string(), z.unknown());

const ToolRow = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  description: z.string().nullish(),
  tool_type: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  json_schema: Schema.nullish(),
});

/** Rules name tools in several places, by their kind: https://docs.letta.com/guides/agents/tool-rules */
const RuleRow = z.object({
  tool_name: z.string().nullish(),
  children: z.array(z.string()).nullish(),
  default_child: z.string().nullish(),
  child_output_mapping: z.record(z.string(), z.string()).nullish(),
});

const AgentRow = z.object({
  id: z.string(),
  tools: z.array(ToolRow),
  tool_rules: z.array(RuleRow).nullish(),
});

/** A tool that an MCP server offers. */
export interface OfferedTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>> | undefined;
}

const OfferedRow = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  inputSchema: Schema.nullish(),
});

/**
 * Maximum number of tools of an agent: many times more than any model can use, and each can become a call to
 * Letta.
 */
const MAX_AGENT_TOOLS = 500;

/** An agent with everything that is attached to it. What is only half understood is an `invalid_response`: deciding on it could take tools away. */
export function readAgent(value: unknown, agentId: string): Agent {
  const row = read(AgentRow, value, 'agent');
  if (row.id !== agentId) throw new LettaFailure('invalid_response', 'the response describes another agent');
  if (row.tools.length > MAX_AGENT_TOOLS)
    throw new LettaFailure('invalid_response', `the agent has more than ${MAX_AGENT_TOOLS} tools`);
  const rules = row.tool_rules ?? [];
  const names = rules.flatMap((rule) => [
    rule.tool_name,
    ...(rule.children ?? []),
    rule.default_child,
    ...Object.values(rule.child_output_mapping ?? {}),
  ]);
  return {
    id: row.id,
    tools: [...new Map(row.tools.map((tool) => [tool.id, toTool(tool)])).values()],
    ruledNames: new Set(names.filter((name) => name != null)),
  };
}

/** One page of tools. Rows of another form are left out: a tool that cannot be read cannot be found either. */
export function readTools(value: unknown): readonly KnownTool[] {
  return rowsOf(ToolRow, read(z.array(z.unknown()), value, 'list of tools')).map(toTool);
}

export function readTool(value: unknown): KnownTool {
  return toTool(read(ToolRow, value, 'tool'));
}

/** The names of MCP servers. */
export function readServers(value: unknown): readonly string[] {
  return Object.keys(read(z.record(z.string(), z.unknown()), value, 'list of servers'));
}

/** Reads the tools of an MCP server. */
export function readOfferedTools(value: unknown, server: string): readonly OfferedTool[] {
  const rows = rowsOf(OfferedRow, read(z.array(z.unknown()), value, 'list of offered tools'));
  return rows.map(({ name, description, inputSchema }) => ({
    server,
    name,
    description: description ?? '',
    inputSchema: inputSchema ?? undefined,
  }));
}

function read<Value>(form: z.ZodType<Value>, value: unknown, what: string): Value {
  const result = form.safeParse(value);
  if (!result.success) throw new LettaFailure('invalid_response', `the ${what} has another form`);
  return result.data;
}

function rowsOf<Row>(form: z.ZodType<Row>, rows: readonly unknown[]): Row[] {
  return rows.flatMap((row) => {
    const result = form.safeParse(row);
    return result.success ? [result.data] : [];
  });
}

function toTool({
  id,
  name,
  description,
  tool_type: toolType,
  tags,
  json_schema: schema,
}: z.infer<typeof ToolRow>): KnownTool {
  return {
    id,
    name: name ?? '',
    description: description ?? '',
    // As the server fills it in.
    toolType: toolType ?? 'custom',
    tags: tags ?? [],
    schema: schema ?? undefined,
  };
}
