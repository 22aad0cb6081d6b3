import type { LoadMode } from '@winnow/wire';

/**
 * The settings that a conversation began with: it keeps those that shape the head of its prompt when they
 * change.
 */
export interface Beginning {
  /** The model; prompt caches are per model, so another model has no head to keep. */
  readonly model: string | undefined;
  /** The settings that shape the head, as the policy writes them. */
  readonly head: string;
  /** The load mode of the settings. */
  readonly load: 'auto' | LoadMode;
  /** Whether its tools are deferred, if the agent's bill decided so. */
  readonly defers?: boolean | undefined;
}

/** Serialises a beginning as a note's value. */
export function writeBeginning(beginning: Beginning): string {
  return JSON.stringify(beginning);
}

/** Parses the value from `writeBeginning`: notes are sealed, so it has no other source. */
export function readBeginning(value: string | undefined): Beginning | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as Beginning);
}
