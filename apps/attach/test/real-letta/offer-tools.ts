import { createInterface } from 'node:readline';

/**
 * A small MCP server over standard input and output, in whatever version its client speaks: `node offer-tools.ts TOOLS`, where TOOLS is a JSON list in base64:
 * Letta takes arguments apart at their spaces. It is started for every list and every call.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio
 */

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const offered = JSON.parse(Buffer.from(process.argv[2] ?? 'W10', 'base64').toString()) as readonly object[];
const tools = offered.map((tool) => ({ inputSchema: { type: 'object', properties: {} }, ...tool }));

createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const result = resultOf(method, params?.protocolVersion);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});

function resultOf(method: string, protocolVersion: string | undefined): object {
  if (method === 'tools/list') return { tools };
  if (method !== 'initialize') return {};
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'offer-tools', version: '1' } };
}
