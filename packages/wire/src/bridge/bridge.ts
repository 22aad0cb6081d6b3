import type { ToolReading } from '../format/capabilities.ts';
import type { BridgePlan, RequestView, ToolSection } from '../format/view.ts';
import { isJsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { bareName, declaredIn, HiddenNames, hiddenNames } from '../tools/hidden-names.ts';

/** A function that the model can call. */
export interface CallableTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object; undefined when the tool has no parameters. */
  readonly parameters: unknown;
  /** Examples of its arguments, which Messages has next to the schema. */
  readonly examples?: readonly unknown[];
}

/** The parts of a plan that determine the tools of its exchanges. */
type BridgedTools = Pick<BridgePlan, 'loadMode' | 'searchTool' | 'bridgeTool' | 'bridged' | 'offered'>;

/**
 * The tools of an exchange in bridge mode, by name.
 *
 * Contract: never changes.
 */
export class Bridge {
  /** The bridge tool's name. */
  readonly toolName: string;
  /** The tools of the client; undefined when it declares none. */
  readonly section: ToolSection | undefined;
  readonly searchToolName: string | undefined;
  readonly callable: ReadonlyMap<string, CallableTool>;
  readonly #declared: ReadonlySet<string>;
  readonly #bridged: ReadonlySet<string>;
  readonly #own: HiddenNames;
  /** The bridge tool's name, as models may spell it. */
  readonly #tool: HiddenNames;

  constructor(
    section: ToolSection | undefined,
    plan: BridgedTools,
    parametersOf: ToolReading['parametersOf'],
  ) {
    const { bridgeTool, searchTool, bridged } = plan;
    this.toolName = bridgeTool.name;
    this.section = section;
    this.searchToolName = searchTool?.name;
    this.callable = section === undefined ? new Map() : callableIn(section, parametersOf);
    this.#declared = section === undefined ? new Set() : declaredIn(section);
    this.#bridged = new Set(bridged);
    this.#own = hiddenNames(plan, section);
    this.#tool = new HiddenNames(bridgeTool.name, [], this.#declared);
  }

  /** Whether calls of this tool in a history are written as calls of the bridge tool. */
  isBridged(name: string): boolean {
    if (this.#own.has(name)) return false;
    return this.#bridged.has(name) || !this.#declared.has(name);
  }

  /** Whether this is the name of a tool whose calls the proxy answers. */
  isOwn(name: string): boolean {
    return this.#own.has(name);
  }

  /** Whether a name that begins like this may mean the bridge tool. */
  mayBeTool(start: string): boolean {
    return this.#tool.mayBegin(start);
  }

  /** Whether a model means the bridge tool by a name. */
  isTool(name: string): boolean {
    return this.#tool.meantBy(name) !== undefined;
  }

  /** Returns the name of the tool that a model means by a name: without a prefix, where that is declared. */
  resolve(name: string): string {
    const bare = bareName(name);
    return [name, bare].find((one) => this.callable.has(one)) ?? this.#own.meantBy(name) ?? name;
  }
}

/** Returns the tools of a request: the same object for requests with the same tools and plan. */
export function bridgeOf(
  { toolSection }: Pick<RequestView, 'toolSection'>,
  plan: BridgePlan,
  { parametersOf }: ToolReading,
): Bridge {
  if (toolSection === undefined) return new Bridge(undefined, plan, parametersOf);
  const { searchTool, bridgeTool, bridged, offered } = plan;
  return bridgeIn(toolSection, searchTool, bridgeTool, bridged, offered, parametersOf);
}

const bridgeIn = rememberBy(
  (
    section: ToolSection,
    searchTool: BridgePlan['searchTool'],
    bridgeTool: BridgePlan['bridgeTool'],
    bridged: readonly string[],
    offered: readonly string[] | undefined,
    parametersOf: ToolReading['parametersOf'],
  ) => new Bridge(section, { loadMode: 'bridge', searchTool, bridgeTool, bridged, offered }, parametersOf),
);

/** Returns the functions of a section; the first of several with the same name. */
export const callableIn = rememberBy(
  (
    { entries }: ToolSection,
    parametersOf: ToolReading['parametersOf'],
  ): ReadonlyMap<string, CallableTool> => {
    const callable = new Map<string, CallableTool>();
    for (const { name, description, definition, kind } of entries) {
      if (kind !== 'function' || name === undefined || callable.has(name)) continue;
      const examples = isJsonObject(definition) ? definition.input_examples : undefined;
      const own = Array.isArray(examples) && { examples };
      callable.set(name, { name, description, parameters: parametersOf(definition), ...own });
    }
    return callable;
  },
);
