import type { StoredRecord } from '@winnow/core';

/**
 * Returns the name of an agent: the program that its client names, or else the id of its tools, model and
 * credential; exchanges whose record has neither are one agent.
 */
export function agentNameOf({ agent }: Pick<StoredRecord, 'agent'>): string {
  return agent?.name ?? agent?.id ?? 'unknown';
}

/** An agent at an upstream with a model. */
export interface AgentPlace {
  readonly agent: string;
  readonly upstream: string;
  readonly model: string;
}

/** Returns an agent with its upstream and model as text. */
export function agentText({ agent, upstream, model }: AgentPlace): string {
  return [agent, upstream, model].join(' · ');
}

/** Returns the agent of a record as text. */
export function agentOf(record: Pick<StoredRecord, 'agent' | 'upstream' | 'model'>): string {
  const { upstream, model = 'unknown' } = record;
  return agentText({ agent: agentNameOf(record), upstream, model });
}
