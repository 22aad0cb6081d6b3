import type { ModeNotice } from './load-modes.ts';

/** A log line that tells an operator what a setting would change. */
export function noticeLine(notice: ModeNotice, timeMs: number): string {
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...notice })}\n`;
}
