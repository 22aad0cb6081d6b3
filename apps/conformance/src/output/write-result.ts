import type { Result } from '../result.ts';
import type { OutputName } from './outputs.ts';
import { writeHtml } from './write-html.ts';
import { writeJunit } from './write-junit.ts';
import { writeTerminal } from './write-terminal.ts';

/** Writes a result in one of its forms. */
export function writeResult(result: Result, output: OutputName): string {
  switch (output) {
    case 'terminal':
      return writeTerminal(result);
    case 'json':
      return `${JSON.stringify(result, null, 2)}\n`;
    case 'html':
      return writeHtml(result);
    case 'junit':
      return writeJunit(result);
    default:
      return output satisfies never;
  }
}
