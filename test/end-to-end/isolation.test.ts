import { answer, callTool, playModel } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { continueHistory } from './continue-history.ts';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const model = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

const credentials: Readonly<Record<WireFormat, (key: string) => Record<string, string>>> = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key }),
};

test.each(['openai', 'anthropic'] as const)(
  '%s: two credentials and two conversations with equal first messages never see what the other has found',
  async (format) => {
    const stack = await startStack({ model, settings: { PROXY_PIPES_TOOL_DISCOVERY_LOAD_MODE: 'swap' } });
    const ask = async (key: string, more = {}) => {
      const headers = { ...credentials[format](key), 'x-winnow-session': 'shared' };
      return (await send({ format, url: stack.proxyUrl, headers, more })).json();
    };
    const toolsOf = (number: number) =>
      JSON.stringify((stack.upstream.requests[number]!.json as { tools: unknown }).tools);
    const history = { messages: continueHistory(format, await ask('alice')) };
    expect(toolsOf(0)).not.toContain(`"${WANTED}"`);
    expect(toolsOf(1)).toContain(`"${WANTED}"`);
    await ask('alice', history);
    expect(toolsOf(2)).toContain(`"${WANTED}"`);
    await ask('bob');
    expect(toolsOf(3)).toBe(toolsOf(0));
    // Not even in her own next conversation, which begins the same way.
    await ask('alice');
    expect(toolsOf(5)).toBe(toolsOf(0));
    const sessions = stack.records.map(({ session }) => session);
    expect(new Set(sessions).size).toBe(2);
  },
);

test.each(['openai', 'anthropic'] as const)(
  '%s: two credentials with equal histories never see what was hidden from the other',
  async (format) => {
    const searchTool = 'gateway_search_tools';
    const both = answer([callTool(searchTool, { query: WANTED }), callTool(FEW_TOOLS[0]!.name)]);
    const done = answer([callTool(WANTED)]);
    const stack = await startStack({
      script: [both, done, done],
      settings: { PROXY_PIPES_TOOL_DISCOVERY_LOAD_MODE: 'swap' },
    });
    const ask = (key: string, more = {}) =>
      send({ format, url: stack.proxyUrl, headers: credentials[format](key), more });
    const history = { messages: continueHistory(format, await (await ask('alice')).json()) };
    await (await ask('alice', history)).text();
    await (await ask('bob', history)).text();
    const [, ofAlice, ofBob] = stack.upstream.requests.map(({ json }) =>
      JSON.stringify((json as { messages: unknown }).messages),
    );
    expect(ofAlice).toContain(searchTool);
    expect(ofBob).toBe(JSON.stringify(history.messages));
  },
);
