import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

/** A server by the vendor's own package: three tools, one of which the server adds while it runs. */
export function createVendorServer(): McpServer {
  const server = new McpServer(
    { name: 'vendor', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  const text = fromJsonSchema<{ text: string }>({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  server.registerTool(
    'shout',
    { description: 'Writes a text in capitals.', inputSchema: text, annotations: { readOnlyHint: true } },
    ({ text: given }) => ({
      content: [{ type: 'text', text: given.toUpperCase() }],
    }),
  );
  server.registerTool('fail', { description: 'Fails.' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'as asked' }],
  }));
  server.registerTool('grow', { description: 'Adds another tool.' }, () => {
    server.registerTool('grown', { description: 'Was added.' }, () => ({ content: [] }));
    return { content: [] };
  });
  return server;
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'legacy') await createVendorServer().connect(new StdioServerTransport());
  else serveStdio(createVendorServer);
}
