import { answer, callTool, type Model, say } from '@winnow/testkit';

/** The model's script: searches and calls in order, followed by a last message with their results. */
export interface ModelStep {
  readonly tool: 'search_tools' | 'call_tool';
  readonly arguments: Record<string, unknown>;
}

/**
 * A model that follows a script, under whatever names the agent gives the tools, and ends with the last
 * result.
 */
export function scriptedModel(steps: readonly ModelStep[]): Model {
  return ({ callable, turns }, { json }) => {
    const results = turns.flatMap((turn) => (turn.role === 'results' ? turn.results : []));
    const step = steps[results.length];
    const named = step && findTool(step.tool, callable, json);
    // Agents also ask for titles and the like, without tools.
    if (named === undefined) return answer([say(results.map(({ text }) => text).join('\n') || 'A title')]);
    const { name, namespace } = named;
    return answer([
      callTool(name, step!.arguments as never, namespace === undefined ? {} : { fields: { namespace } }),
    ]);
  };
}

/**
 * Finds a tool under the name that the agent gives it: some prefix the server's name; Codex puts it into a
 * namespace.
 */
function findTool(
  tool: string,
  callable: ReadonlySet<string>,
  body: unknown,
): { readonly name: string; readonly namespace?: string } | undefined {
  const { tools = [] } = body as { tools?: readonly Record<string, unknown>[] };
  for (const { type, name, tools: inner } of tools) {
    const isInside = type === 'namespace' && Array.isArray(inner) && inner.some((one) => one.name === tool);
    if (isInside) return { name: tool, namespace: String(name) };
  }
  const name = [...callable].find(
    (one) => one === tool || one.endsWith(`_${tool}`) || one.endsWith(`-${tool}`),
  );
  return name === undefined ? undefined : { name };
}
