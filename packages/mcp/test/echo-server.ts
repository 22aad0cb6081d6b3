import { createServer, type Server } from 'node:http';
import { keptMember, keptText, parseKept } from '@winnow/core';
import { LineReader } from '../src/servers/process-group.ts';

/** A server that is written in texts: its tool `echo` returns the arguments as they came, byte for byte. */

const TOOLS =
  '{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"strict":{"type":"string"},"id":{"type":"integer"}}}}]}';
const HELLO =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"echo","version":"1"}}';

/** Texts that no JSON writer would write like this. */
export const ODD_MEMBERS = '"odd":{"b":1E400,"10":-0,"2":1.0,"b":2,"\\u0061":"\\ud800\\/"}';

/** Returns the response to a message; undefined for a notification. */
function answer(text: string): string | undefined {
  const message = parseKept(text) as { readonly id?: unknown; readonly method: string };
  if (message.id === undefined) return undefined;
  const params = keptMember(message, 'params') as object;
  const respond = (result: string) => `{ "jsonrpc":"2.0","id":${keptText(message, 'id')},"result":${result}}`;
  switch (message.method) {
    case 'initialize':
      return respond(HELLO);
    case 'tools/list':
      return respond(TOOLS);
    case 'resources/list':
      return respond('{"resources":[{"uri":"file:///a","name":"a"}]}');
    case 'resources/templates/list':
      return respond('{"resourceTemplates":[]}');
    case 'resources/read':
      return respond(`{"contents":[{"uri":"file:///a","text":"",${ODD_MEMBERS}}]}`);
    case 'tools/call':
      if (keptText(params, 'arguments') === '{"fail":1.0}')
        return `{"jsonrpc":"2.0","id":${keptText(message, 'id')},"error":{"code":-32050,"message":"odd","data":{${ODD_MEMBERS}}}}`;
      return respond(
        `{"content":[{"type":"text","text":"\\u0041"}],${ODD_MEMBERS},"structuredContent":${keptText(params, 'arguments')}}`,
      );
    default:
      return `{"jsonrpc":"2.0","id":${keptText(message, 'id')},"error":{"code":-32601,"message":"no"}}`;
  }
}

/** Starts it over HTTP; responses are streams, with a line of data or several, or JSON. */
export async function startEchoServer(form: 'json' | 'stream' | 'lines'): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const text = request.method === 'POST' ? answer(body) : undefined;
    if (text === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    if (form === 'json') return response.setHeader('content-type', 'application/json').end(text);
    response.setHeader('content-type', 'text/event-stream');
    const data = form === 'lines' ? text.replace(',"result"', '\r\ndata: ,"result"') : text;
    // In pieces, also of characters.
    const bytes = Buffer.from(`event: message\r\ndata: ${data}\r\n\r\n`);
    for (let at = 0; at < bytes.length; at += 97) response.write(bytes.subarray(at, at + 97));
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

if (process.argv[1] === import.meta.filename) {
  const lines = new LineReader(1e9);
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of lines.read(chunk)) {
      const text = answer(line!);
      if (text !== undefined) process.stdout.write(`${text}\n`);
    }
  });
}
