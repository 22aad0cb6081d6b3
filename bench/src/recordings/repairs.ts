import type { Recording } from './read-recordings.ts';

/** A difference that `docs/internals/wire-formats/README.md` names under "Repairs": what becomes of the data of a stream's events. */
export interface Repair {
  readonly name: string;
  readonly format: Recording['format'];
  readonly repair: (data: readonly string[]) => readonly string[];
}

/** Every repair that a response of a real provider needs. */
export const REPAIRS: readonly Repair[] = [
  { name: 'calls are numbered', format: 'openai-chat', repair: (data) => data.map(numberCalls) },
];

/** Of a stream in which every call comes in one piece. */
function numberCalls(event: string): string {
  let number = 0;
  return event.replace(/\{"id":"[^"]*","function":\{("(?:\\.|[^"\\])*"|[^"}])*\}(?=\})/g, (call) => {
    const numbered = `${call},"index":${number}`;
    number += 1;
    return numbered;
  });
}
