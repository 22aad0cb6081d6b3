import type { StoredRecord } from '@winnow/contract';

/** Returns the name of an agent with its upstream and model; exchanges whose record tells no agent are one. */
export function agentOf({ agent, upstream, model }: StoredRecord): string {
  return [agent?.id ?? 'unknown', upstream, model ?? 'unknown'].join(' · ');
}
