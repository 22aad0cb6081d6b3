import {
  MCP_PROCESS,
  type McpProcessScript,
  type ScriptedMcpServer,
  scriptedTool,
  startMcpServer,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpEntry, keepServers, stdioEntry, until, untilStatus } from './keep-servers.ts';

async function start(parts: Parameters<typeof startMcpServer>[0] = {}): Promise<ScriptedMcpServer> {
  const server = await startMcpServer(parts);
  onTestFinished(() => server.close());
  return server;
}

const script = (parts: McpProcessScript) => [MCP_PROCESS, JSON.stringify(parts)];

describe.each(['legacy', 'modern', 'both'] as const)('a server of the era "%s"', (era) => {
  const spoken = era === 'legacy' ? 'legacy' : 'modern';
  const tools = Array.from({ length: 25 }, (_, n) => scriptedTool(`tool_${n}`));

  test('R46: is read to the end of its list over HTTP', async () => {
    const server = await start({ era, tools, pageSize: 10 });
    const kept = await keepServers([httpEntry('web', server.url)]);
    await untilStatus(kept, 'web', 'up');
    expect(kept.servers.state('web')).toMatchObject({
      era: spoken,
      tools: 25,
      status: 'up',
      staleSince: undefined,
    });
    expect(server.requests.filter(({ method }) => method === 'tools/list')).toHaveLength(3);
  });

  test('R46: is read to the end of its list over its standard output', async () => {
    const kept = await keepServers([stdioEntry('local', script({ era, tools, pageSize: 10 }))]);
    await untilStatus(kept, 'local', 'up');
    expect(kept.servers.state('local')).toMatchObject({ era: spoken, tools: 25 });
  });

  test('R49: is read again when it says that its list is another one', async () => {
    const server = await start({ era, tools: [scriptedTool('first')] });
    const kept = await keepServers([httpEntry('web', server.url)]);
    await untilStatus(kept, 'web', 'up');
    await until(() => server.listeners === 1);
    server.script.tools = [scriptedTool('second')];
    server.tellChange();
    await until(() => kept.registry.idsOfServer('web')[0] === 'web:second');
  });

  test('gives results of calls untouched, with progress before them', async () => {
    const server = await start({ era });
    const kept = await keepServers([httpEntry('web', server.url), stdioEntry('local', script({ era }))]);
    for (const name of ['web', 'local']) {
      const progress: number[] = [];
      const result = await kept.servers.call(
        name,
        'odd',
        { a: 1 },
        { onProgress: (told) => void progress.push(told.progress) },
      );
      expect(result).toEqual({
        ...(spoken === 'modern' && { resultType: 'complete' }),
        content: [
          { type: 'text', text: JSON.stringify({ name: 'odd', args: { a: 1 } }) },
          { type: 'not_known_yet', value: 1 },
        ],
        structuredContent: { args: { a: 1 } },
        further: 'kept',
        isError: false,
      });
      expect(progress).toEqual([1, 2]);
      await expect(kept.servers.call(name, 'fail', {})).rejects.toMatchObject({
        code: 'refused',
        rpcError: { code: -32_602, message: 'Unknown tool: fail' },
      });
    }
    await expect(kept.servers.call('unknown', 'echo', {})).rejects.toMatchObject({ code: 'unknown_server' });
  });
});

test('a server of the new era may ask before it answers', async () => {
  const server = await start({ era: 'modern' });
  const kept = await keepServers([httpEntry('web', server.url)]);
  const asked = await kept.servers.call('web', 'ask', { a: 1 });
  expect(asked).toEqual({
    resultType: 'input_required',
    inputRequests: { who: { method: 'elicitation/create' } },
    requestState: 'state-1',
  });
  const inputResponses = { who: { action: 'accept' } };
  const answered = await kept.servers.call(
    'web',
    'ask',
    { a: 1 },
    { inputResponses, requestState: 'state-1' },
  );
  expect(answered).toMatchObject({
    content: [
      { text: JSON.stringify({ name: 'ask', args: { a: 1 }, inputResponses, requestState: 'state-1' }) },
    ],
  });
});

test('a process that ends when it is asked which revisions it speaks is started again and not asked', async () => {
  const kept = await keepServers([stdioEntry('strict', script({ isStrict: true, era: 'legacy' }))]);
  await untilStatus(kept, 'strict', 'up');
  expect(kept.servers.state('strict')).toMatchObject({ era: 'legacy', tools: 1 });
});
