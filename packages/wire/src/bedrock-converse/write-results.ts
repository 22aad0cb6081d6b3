import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';

/** Returns one result as the JSON of a block. It has no `status`, which only some models support. */
export function writeResult(result: KeptResult, declared: DeclaredTools): string {
  const content = [{ text: declared.textOf(result) }];
  return JSON.stringify({ toolResult: { toolUseId: result.callId, content } });
}
