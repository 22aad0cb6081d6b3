import { type DeclaredTools, type KeptResult, keptText } from '../turns/kept-result.ts';

/** The user's message that answers a turn's searches, as JSON. */
export function writeResults(results: readonly KeptResult[], declared: DeclaredTools): string {
  const blocks = results.map((result) => writeResult(result, declared));
  return `{"role":"user","content":[${blocks.join(',')}]}`;
}

/** One result as JSON of a block. It has no `status`, which only some models know. */
export function writeResult(result: KeptResult, declared: DeclaredTools): string {
  const content = [{ text: keptText(result, declared) }];
  return JSON.stringify({ toolResult: { toolUseId: result.callId, content } });
}
