/** A tool of a fake Letta, with the relevant fields of the real one. */
export interface LettaTool {
  readonly id: string;
  readonly name: string;
  readonly tool_type: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly json_schema: Readonly<Record<string, unknown>> | null;
  readonly default_requires_approval: boolean | null;
}

/** A rule of an agent, such as `{tool_name, type: 'exit_loop'}`. */
export interface LettaToolRule {
  readonly tool_name: string;
  readonly type: string;
  readonly children?: readonly string[];
}

/** An agent of a fake Letta. */
export interface LettaAgent {
  readonly id: string;
  /** Ids of attached tools. */
  readonly attached: Set<string>;
  readonly rules: LettaToolRule[];
  readonly messages: unknown[];
}

/** A tool as an MCP server lists it. */
export interface LettaMcpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** Input for creating a tool; the rest has defaults. */
export type LettaToolParts = Partial<Omit<LettaTool, 'id' | 'name'>>;

/**
 * The state of a fake Letta: tools in order of creation, agents, and MCP servers with the tools that they
 * offer.
 */
export class LettaState {
  readonly tools = new Map<string, LettaTool>();
  readonly agents = new Map<string, LettaAgent>();
  readonly servers = new Map<string, readonly LettaMcpTool[]>();
  #ids = 0;

  /**
   * Follows the real server: names are unique, and a tool created again replaces the old one under the same
   * id.
   */
  upsertTool(name: string, parts: LettaToolParts): LettaTool {
    const known = [...this.tools.values()].find((tool) => tool.name === name);
    const tool: LettaTool = {
      tool_type: 'custom',
      description: null,
      tags: [],
      json_schema: null,
      default_requires_approval: null,
      ...parts,
      id: known?.id ?? this.#makeId('tool'),
      name,
    };
    this.tools.set(tool.id, tool);
    return tool;
  }

  addAgent(attached: readonly string[], rules: readonly LettaToolRule[]): LettaAgent {
    const agent: LettaAgent = {
      id: this.#makeId('agent'),
      attached: new Set(attached),
      rules: [...rules],
      messages: [],
    };
    this.agents.set(agent.id, agent);
    return agent;
  }

  /** Returns the tools that are attached to an agent and still exist, in order of creation. */
  toolsOf({ attached }: LettaAgent): LettaTool[] {
    return [...this.tools.values()].filter(({ id }) => attached.has(id));
  }

  /** A UUID of version 4, whose order is independent of its creation time. */
  #makeId(kind: 'tool' | 'agent'): string {
    const mixed = (Math.imul(++this.#ids, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    const count = this.#ids.toString(16).padStart(12, '0');
    return `${kind}-${mixed}-0000-4000-8000-${count}`;
  }
}
