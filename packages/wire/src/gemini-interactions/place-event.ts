import { withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';
import type { StepEvent } from './step-events.ts';

/** Where an event stands in the client's response. */
export interface EventPlace {
  /** Undefined for an event that is about no step. */
  readonly index: number | undefined;
  /** The id of the client's interaction, as JSON; undefined to leave the event's. */
  readonly id: string | undefined;
  /** Running usage as the client is shown it, given what the event has. */
  readonly showUsage: (usage: string) => string;
}

/**
 * An event's data for a response that is more than one of the upstream's. It loses what it could be resumed by: from there, the upstream would go
 * on with a response that the client does not know.
 */
export function withPlace({ data, body }: StepEvent, { index, id, showUsage }: EventPlace): string {
  const placed = withMembers(data, {
    ...('event_id' in body && { event_id: undefined }),
    ...('continuation_token' in body && { continuation_token: undefined }),
    ...(index !== undefined && 'index' in body && body.index !== index && { index: String(index) }),
    ...(id !== undefined && 'interaction_id' in body && { interaction_id: id }),
  });
  const counted = isJsonObject(body.usage) ? withMember(placed, 'usage', showUsage) : placed;
  return isJsonObject(body.metadata)
    ? withMember(counted, 'metadata', (metadata) => withMember(metadata, 'total_usage', showUsage))
    : counted;
}
