import { BodyBytes, FORMATS, matchRoute, type RequestView } from '@winnow/wire';
import type { SetTool } from '../retrieval/read-sets.ts';

const CHAT = FORMATS.find(
  (format) => matchRoute(format.reading, 'POST', '/v1/chat/completions') === 'answer',
)!;

/** Returns the request as a client sends it, read by the proxy's reader. */
export function viewOf(message: string, tools: readonly SetTool[]): RequestView {
  const body = { model: 'm', messages: [{ role: 'user', content: message }], tools: tools.map(toChat) };
  const reading = CHAT.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path: '/v1/chat/completions',
    query: '',
  });
  if (!reading.ok) throw new TypeError(`a request of the bench cannot be read: ${reading.reason}`);
  return reading.view;
}

/** Returns a tool's definition in Chat Completions. */
export function toChat({ name, description, parameters }: SetTool): object {
  return { type: 'function', function: { name, description, ...(parameters && { parameters }) } };
}

/** Returns the length of a tool's definition, in bytes. */
export function bytesOf(tool: SetTool): number {
  return Buffer.byteLength(JSON.stringify(toChat(tool)));
}
