import type { StoredRecord } from '@winnow/contract';

/**
 * Returns the name of an agent: the program that its client names, or else the id of its tools, model and
 * credential; exchanges whose record has neither are one agent.
 */
export function agentNameOf({ agent }: Pick<StoredRecord, 'agent'>): string {
  return agent?.name ?? agent?.id ?? 'unknown';
}

/** Returns an agent's name with its upstream and model. */
export function agentOf(record: Pick<StoredRecord, 'agent' | 'upstream' | 'model'>): string {
  return [agentNameOf(record), record.upstream, record.model ?? 'unknown'].join(' · ');
}
