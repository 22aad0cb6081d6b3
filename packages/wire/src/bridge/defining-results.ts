import type { Plan, RequestView } from '../format/view.ts';
import { type DeclaredTools, declaredTools, type KeptResult } from '../turns/kept-result.ts';
import { type CallableTool, callableIn, type ToolReading } from './bridge.ts';

/**
 * Returns the declared tools that the results in one request refer to. In bridge mode, the text of a result
 * holds the definitions of its tools, each once in the request: results must be written in their order, each
 * once.
 */
export function resultTools(view: RequestView, plan: Plan, reading: ToolReading): DeclaredTools {
  const declared = declaredTools(view);
  if (plan.loadMode !== 'bridge' || view.toolSection === undefined) return declared;
  const callable = callableIn(view.toolSection, reading.parametersOf);
  const deferred = new Set(plan.defer);
  const defined = new Set([...callable.keys()].filter((name) => !deferred.has(name)));
  return { ...declared, textOf: (result) => defineIn(result, { declared, callable, defined }) };
}

interface Definitions {
  readonly declared: DeclaredTools;
  readonly callable: ReadonlyMap<string, CallableTool>;
  /** The names of the tools that are defined in the request so far. */
  readonly defined: Set<string>;
}

function defineIn(result: KeptResult, { declared, callable, defined }: Definitions): string {
  const { kind, names, text = FOUND_TEXT } = result;
  const known = names.filter((name) => callable.has(name));
  if ((kind !== 'found' && kind !== 'answered') || known.length === 0) return declared.textOf(result);
  const fresh = known.filter((name) => !defined.has(name));
  const again = known.filter((name) => defined.has(name));
  for (const name of fresh) defined.add(name);
  const parts = [
    text,
    ...fresh.map((name) => JSON.stringify(callable.get(name))),
    ...(again.length > 0 ? [`Defined earlier: ${again.join(', ')}.`] : []),
  ];
  return parts.join('\n');
}

const FOUND_TEXT = 'These tools can be called now, the best match first:';
