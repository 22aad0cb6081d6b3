import { memberOf, withMembers } from '../json/json-members.ts';
import type { JsonObject } from '../json/json-splice.ts';
import type { RoundReader } from './round-reader.ts';

/** What several responses come to. */
export interface JoinedRounds {
  readonly readers: readonly RoundReader[];
  /** The one by which the client's response began. */
  readonly opener: RoundReader | undefined;
  /** Whether the client is given the last response's id, and not the first one's. */
  readonly isLastId: boolean;
  /** The steps for the client, as JSON; undefined to leave the last response's. */
  readonly steps: readonly string[] | undefined;
  /** Undefined to leave the last response's. */
  readonly usage: JsonObject | undefined;
}

/** The last response's interaction, with the first one's identity, and what all of them said to the client. */
export function joinBodies(
  interaction: string,
  { readers, opener, isLastId, steps, usage }: JoinedRounds,
): string {
  const first = opener?.start ?? '{}';
  const identity = (key: string) =>
    memberOf(interaction, key) === undefined ? undefined : memberOf(first, key);
  // An interaction says when it was created where it ends.
  const begun = readers[0]?.end;
  const created =
    begun === undefined ? undefined : memberOf(memberOf(begun.data, 'interaction') ?? '{}', 'created');
  const id = isLastId ? undefined : identity('id');
  const status = statusOf(readers.at(-1));
  return withMembers(interaction, {
    ...(id !== undefined && { id }),
    ...(status !== undefined && { status }),
    ...(created !== undefined && memberOf(interaction, 'created') !== undefined && { created }),
    ...(usage !== undefined &&
      memberOf(interaction, 'usage') !== undefined && { usage: JSON.stringify(usage) }),
    ...(steps !== undefined && { steps: `[${steps.join(',')}]` }),
  });
}

/** A response that waits for a call of which the client sees nothing is complete. */
export function statusOf(last: RoundReader | undefined): string | undefined {
  return last?.status === 'requires_action' && !last.hasRealCall ? '"completed"' : undefined;
}
