import { type McpTool, matchesGlob, type ServerTerms, servesNamespace } from '@winnow/registry';
import type { ServerEntry } from './server-entry.ts';
import { wantsTool } from './take-over-list.ts';

/** A registered tool whose backend is a server. */
export interface RegisteredTool {
  readonly namespace: string;
  /** As it is registered; the server may have another name for it. */
  readonly name: string;
}

/** The reasons that a registered tool is not called on its server. */
const CALL_REFUSALS = ['not_shared', 'excluded', 'not_listed', 'awaits_approval'] as const;
export type CallRefusal = (typeof CALL_REFUSALS)[number];

/** The parts of a server's last list that decide about calls. */
export interface KnownList {
  /** Listed tools by the names under which they are registered. */
  readonly byName: ReadonlyMap<string, { readonly ownName: string; readonly tool: McpTool }>;
  /** Registered names of tools whose definitions await approval. */
  readonly pending: ReadonlySet<string>;
}

/**
 * Returns the reason not to call a tool on a server; undefined if it may be called. Regardless of who
 * registered it, a call reaches only what the server's own front door would offer in a namespace that the
 * operator lets it serve. Without a list, only the entry decides.
 */
export function refuseCall(
  { namespace, name }: RegisteredTool,
  entry: Pick<ServerEntry, 'namespace' | 'sharedWith' | 'include' | 'exclude'>,
  list: KnownList | undefined,
): CallRefusal | undefined {
  if (!servesNamespace(termsOf(entry), namespace)) return 'not_shared';
  const listed = list?.byName.get(name);
  if (!wantsTool(listed?.ownName ?? name, entry)) return 'excluded';
  if (list === undefined) return undefined;
  if (list.pending.has(name)) return 'awaits_approval';
  return listed === undefined ? 'not_listed' : undefined;
}

/** Tells the caller why a tool is not called, and what the operator can do about it. */
export function explainRefusal(refusal: CallRefusal, server: string, { namespace }: RegisteredTool): string {
  const place = namespace === '' ? 'tools without a namespace' : `tools of the namespace ${namespace}`;
  switch (refusal) {
    case 'not_shared':
      return `The server ${server} takes no calls for ${place}. The operator can allow it with "share_with" of that server.`;
    case 'excluded':
      return `The settings of the server ${server} leave this tool out. The operator can change its "include" and "exclude".`;
    case 'not_listed':
      return `The server ${server} does not list this tool. The operator can remove the registration.`;
    case 'awaits_approval':
      return `Its definition on the server ${server} is new or has changed, and awaits the approval of the operator.`;
  }
}

/** Returns the terms on which a server's tools are registered and called. */
export function termsOf({
  namespace,
  sharedWith,
}: Pick<ServerEntry, 'namespace' | 'sharedWith'>): ServerTerms {
  return { namespace, shares: (other) => sharedWith.some((glob) => matchesGlob(glob, other)) };
}
