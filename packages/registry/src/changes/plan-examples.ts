import { REGISTRY_LIMITS } from '../limits.ts';
import { findJsonFault, isJsonObject, isSameJson, validateValue } from '../model/json.ts';
import {
  createStoredTool,
  definitionOf,
  type McpTool,
  type StoredTool,
  type ToolExample,
} from '../model/tool.ts';
import { type Outcome, type Problem, refuse, refuseAll } from '../problem.ts';
import type { PlannedChange, ToolBase } from './change-history.ts';

/** Deepest nesting of an example, counting the example itself; its arguments may be as deep as those of a call. */
const EXAMPLE_DEPTH = 34;

/**
 * Plans the replacement of a tool's examples. Pure.
 *
 * The arguments of each example must match the tool's schema, as far as that can be checked.
 */
export function planExamples(
  id: string,
  examples: readonly unknown[],
  base: ToolBase,
  maySee: (namespace: string) => boolean,
): Outcome<{ change: PlannedChange }> {
  const existing = base.get(id);
  if (existing === undefined || !maySee(existing.namespace))
    return refuse('not_found', 'There is no such tool.');
  if (examples.length > REGISTRY_LIMITS.examples) {
    return refuse(
      'limit_exceeded',
      `A tool may have at most ${REGISTRY_LIMITS.examples} examples.`,
      'examples',
    );
  }
  const tool = definitionOf(existing);
  const problems = examples.flatMap((example, position) => problemsOf(example, tool, `examples.${position}`));
  if (problems.length > 0) return refuseAll(problems.slice(0, REGISTRY_LIMITS.problems));
  const next = createStoredTool({
    ...existing,
    tool,
    examples: examples.map((one) => plainExample(one as ToolExample)),
  });
  const isSame = next.contentHash === existing.contentHash;
  return {
    ok: true,
    change: isSame
      ? { upserts: [], removals: [], events: [] }
      : { upserts: [next], removals: [], events: [{ type: 'tool_updated', id }] },
  };
}

function problemsOf(example: unknown, tool: McpTool, path: string): Problem[] {
  const problem = (below: string, message: string): Problem => ({
    code: 'invalid_example',
    path: `${path}${below}`,
    message,
  });
  if (findJsonFault(example, EXAMPLE_DEPTH) !== undefined || !isJsonObject(example)) {
    return [problem('', 'An example must be an object of JSON that is not nested too deeply.')];
  }
  const { title, arguments: values, resultHint } = example;
  if (typeof title !== 'string' || title.trim() === '')
    return [problem('.title', 'An example needs a title.')];
  if (resultHint !== undefined && typeof resultHint !== 'string')
    return [problem('.result_hint', 'The result hint must be a text.')];
  if (!isJsonObject(values)) return [problem('.arguments', 'The arguments must be an object.')];
  if (Buffer.byteLength(JSON.stringify(example)) > REGISTRY_LIMITS.exampleBytes) {
    return [problem('', `An example may have at most ${REGISTRY_LIMITS.exampleBytes / 1024} KiB.`)];
  }
  const validation = validateValue(tool.inputSchema, values);
  if (validation.result !== 'invalid') return [];
  return validation.errors.map((error) => problem(`.arguments${error.path}`, `The value ${error.message}.`));
}

function plainExample({ title, arguments: values, resultHint }: ToolExample): ToolExample {
  return { title, arguments: values, ...(resultHint !== undefined && { resultHint }) };
}

/** Returns the examples of a tool that stay valid when its definition is replaced. */
export function keptExamples(existing: StoredTool, next: McpTool): readonly ToolExample[] {
  if (existing.examples.length === 0 || isSameJson(definitionOf(existing).inputSchema, next.inputSchema)) {
    return existing.examples;
  }
  return existing.examples.filter(
    (example) => validateValue(next.inputSchema, example.arguments).result !== 'invalid',
  );
}
