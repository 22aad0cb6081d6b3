import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readServers } from '@winnow/mcp';
import {
  answer,
  type Conversation,
  callTool,
  type Model,
  type ScriptedMcpServer,
  say,
  scriptedTool,
  startMcpServer,
} from '@winnow/testkit';
import { onTestFinished } from 'vitest';
import { sendJson, startTestRegistry, until } from './registry-stack.ts';

/** The names of a front door's tools, which clients must never see. */
export const OFFERED = ['search_tools', 'call_tool', 'describe_tools'];

const READS = { annotations: { readOnlyHint: true } };

/** A registry with a real MCP server whose tools are known. */
export interface OfferedWorld {
  readonly registryUrl: string;
  readonly server: ScriptedMcpServer;
  /** Settings of a proxy that offers the registry's tools. */
  readonly settings: Readonly<Record<string, string>>;
  readonly close: () => Promise<unknown>;
}

/** Starts a registry over an MCP server with three tools: one reads, one asks back, and one writes. */
export async function startOfferedWorld(trust = true): Promise<OfferedWorld> {
  const tools = [
    scriptedTool('read_page', { description: 'Reads a page of the wiki.', ...READS }),
    scriptedTool('ask', { description: 'Reads after a question.', ...READS }),
    scriptedTool('fail', { description: 'Reads and fails.', ...READS }),
    scriptedTool('write_page', { description: 'Writes a page of the wiki.' }),
  ];
  const server = await startMcpServer({ tools });
  onTestFinished(() => server.close());
  const entry = { type: 'http', url: server.url, ...(trust && { trust: 'annotations' }) };
  const { entries, problems } = readServers(JSON.stringify({ mcpServers: { wiki: entry } }), {});
  if (problems.length > 0) throw new Error(problems.join(' '));
  const registry = await startTestRegistry({ servers: entries });
  await until(
    () => sendJson('GET', `${registry.url}/v1/registry/servers/wiki`),
    ({ body }) => body.state === 'up',
  );
  return {
    registryUrl: registry.url,
    server,
    settings: { PROXY_REGISTRY_OFFER: 'true', PROXY_REGISTRY_URL: registry.url },
    close: () => registry.close(),
  };
}

/** Adds headers to each request on its way to a proxy, as an operator of a chat window would configure. */
export async function startHeaderAdder(
  targetUrl: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const { hostname, port } = new URL(targetUrl);
  const server = createServer((incoming, outgoing) => {
    const sent = request(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, ...headers },
      },
      (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Texts and calls since the last message of the user. */
export function sinceUser({ turns }: Conversation) {
  const recent = turns.slice(turns.findLastIndex(({ role }) => role === 'user') + 1);
  return {
    calls: recent.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])),
    results: recent.flatMap((turn) => (turn.role === 'results' ? turn.results : [])),
  };
}

/** All results of a conversation. */
export function allResults({ turns }: Conversation): string {
  return turns
    .flatMap((turn) => (turn.role === 'results' ? turn.results.map(({ text }) => text) : []))
    .join('\n');
}

/** A model that makes these calls one after another, and then says the last result. */
export function modelThatCalls(...calls: readonly (readonly [name: string, input: object])[]): Model {
  return (conversation) => {
    const { calls: made, results } = sinceUser(conversation);
    const next = calls[made.length];
    if (next === undefined || !conversation.callable.has(next[0])) {
      return answer([say(`Result: ${results.at(-1)?.text ?? 'none'}`)]);
    }
    const id = `${conversation.idPrefixes.call}offer${made.length}`;
    return answer([callTool(next[0], next[1] as never, { id })]);
  };
}
