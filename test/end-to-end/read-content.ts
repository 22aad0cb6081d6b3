/** A block of a message, as far as clients send it back. */
type Block = Record<string, unknown> & { readonly type: string };

/**
 * The content of a response of the Messages API, whole or streamed, as a client puts it together. Throws for
 * an incomplete stream.
 */
export async function readContent(response: Response): Promise<Block[]> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return (JSON.parse(text) as { content: Block[] }).content;
  }
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  if (events.at(-1)?.type !== 'message_stop') throw new Error(`the stream has no end: ${text.slice(-500)}`);
  const blocks: Block[] = [];
  const inputs: string[] = [];
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') blocks[index] = content_block;
    if (type === 'content_block_delta') {
      if (delta.type === 'input_json_delta') inputs[index] = (inputs[index] ?? '') + delta.partial_json;
      else blocks[index] = { ...blocks[index]!, ...grown(blocks[index]!, delta) };
    }
  }
  return blocks.map((block, index) =>
    inputs[index] ? { ...block, input: JSON.parse(inputs[index]) as unknown } : block,
  );
}

/** Adds a delta to a block: texts, thinking and signatures grow. */
function grown(block: Block, { type, ...added }: Block): Record<string, string> {
  return Object.fromEntries(
    Object.entries(added).map(([key, more]) => [key, `${block[key] ?? ''}${String(more)}`]),
  );
}
