import { type Agent, classOf, type KnownTool } from './known-tool.ts';

/** Why a tool stays: its class, a request's `keep_tools`, a setting's names, the tag `protected`, or a rule of the agent that speaks of it. */
export const PROTECTIONS = ['core', 'other', 'keep_tools', 'name', 'tag', 'rule'] as const;
export type Protection = (typeof PROTECTIONS)[number];

/** The rules that protect the tools of one agent in one request. */
export interface ProtectionRules {
  /** Whole names, or prefixes of names followed by `*`. */
  readonly names: readonly string[];
  readonly keep: ReadonlySet<string>;
  readonly ruledNames: Agent['ruledNames'];
}

/** The first reason why a tool is never detached; undefined when it may be. A tool that a request matched stays as well: that is the plan's business. */
export function protectionOf(tool: KnownTool, rules: ProtectionRules): Protection | undefined {
  const toolClass = classOf(tool);
  if (toolClass !== 'mcp') return toolClass;
  if (rules.keep.has(tool.id)) return 'keep_tools';
  if (rules.names.some((pattern) => isNamedBy(tool.name, pattern))) return 'name';
  if (tool.tags.includes('protected')) return 'tag';
  if (rules.ruledNames.has(tool.name)) return 'rule';
  return undefined;
}

/** Case counts, and no part of a name is a name: `send` does not protect `send_email`; `send*` does. */
function isNamedBy(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
