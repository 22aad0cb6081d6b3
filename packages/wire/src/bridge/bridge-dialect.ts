import type { ToolReading } from './bridge.ts';
import type { CallEvents } from './call-events.ts';
import type { CallWriter } from './call-writer.ts';

/**
 * The parts of a format that differ in bridge mode.
 *
 * Contract: pure and synchronous, like the format. Nothing throws.
 */
export interface BridgeDialect extends ToolReading {
  /** Returns the reader of one response. Calls of `bridgeTool` may be told when they are complete. */
  readCalls(bridgeTool: string): CallEvents;
  /**
   * Returns an element of the history with its calls, and the names in its results, as the provider gets
   * them; the same string when nothing changes. `element` is the parsed text.
   */
  writeElement(text: string, element: unknown, calls: CallWriter): string;
}
