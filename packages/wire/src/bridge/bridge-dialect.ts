import type { Bridge, ToolReading } from './bridge.ts';
import type { CallEvent, CallEvents } from './call-events.ts';
import type { CallWriter } from './call-writer.ts';

/**
 * The parts of a format that differ in bridge mode.
 *
 * Contract: pure and synchronous, like the format. Nothing throws.
 */
export interface BridgeDialect extends ToolReading {
  /** Returns the reader of one response. A bridge call may be told when it is complete. */
  readCalls(bridge: Pick<Bridge, 'toolName' | 'section'>): CallEvents;
  /** Returns the text in which an event's calls stand; the event's own text without this function. */
  textOf?(event: CallEvent): string;
  /**
   * Returns an element of the history with its calls, and the names in its results, as the provider gets
   * them; the same string when nothing changes. `element` is the parsed text.
   */
  writeElement(text: string, element: unknown, calls: CallWriter): string;
}
