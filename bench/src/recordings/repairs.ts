import type { Recording } from './read-recordings.ts';

/**
 * A difference listed under "Repairs" in `docs/internals/wire-formats/README.md`: a change to the data of a
 * stream's events.
 */
export interface Repair {
  readonly name: string;
  readonly format: Recording['format'];
  readonly repair: (data: readonly string[]) => readonly string[];
}

/** All repairs that a real provider's response needs. */
export const REPAIRS: readonly Repair[] = [
  { name: 'calls are numbered', format: 'openai-chat', repair: (data) => data.map(numberCalls) },
];

/** Handles streams in which every call arrives in one piece. */
function numberCalls(event: string): string {
  let number = 0;
  return event.replace(/\{"id":"[^"]*","function":\{("(?:\\.|[^"\\])*"|[^"}])*\}(?=\})/g, (call) => {
    const numbered = `${call},"index":${number}`;
    number += 1;
    return numbered;
  });
}
