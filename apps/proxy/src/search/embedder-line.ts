import type { EmbedderEvent, SearchUse } from './open-local-meaning.ts';

/** A log line that says that vectors do not come any more, or come again, and to which searches. */
export function embedderLine(
  event: EmbedderEvent & { readonly searches: SearchUse },
  timeMs: number,
): string {
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...event })}\n`;
}
