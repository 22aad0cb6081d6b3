import { answer, callTool, playModel } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { continueHistory } from './continue-history.ts';
import { defines, FEW_TOOLS, loadBy, rowsOfModes, send, type WireFormat } from './raw-client.ts';
import { startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const model = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

const ROWS = rowsOfModes('openai');

const credentials: Readonly<Record<WireFormat, (key: string) => Record<string, string>>> = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key }),
};

test.each(ROWS)(
  '%s, %s: two credentials and two conversations with equal first messages never see what the other has found',
  async (format, mode) => {
    const stack = await startStack({ model, settings: loadBy(mode) });
    const ask = async (key: string, more = {}) => {
      const headers = { ...credentials[format](key), 'x-winnow-session': 'shared' };
      return (await send({ format, url: stack.proxyUrl, headers, more })).json();
    };
    const isFoundIn = (number: number) => defines(stack.upstream.requests[number]!.text, WANTED);
    const history = { messages: continueHistory(format, await ask('alice')) };
    await ask('alice', history);
    await ask('bob');
    // Not even in her own next conversation, which begins the same way.
    await ask('alice');
    expect([0, 1, 2, 3, 4, 5, 6].map(isFoundIn)).toEqual([false, true, true, false, true, false, true]);
    const [alone, , , again, , next] = stack.upstream.requests.map(({ text }) => text);
    expect([again, next]).toEqual([alone, alone]);
    const sessions = stack.records.map(({ session }) => session);
    expect(new Set(sessions).size).toBe(2);
  },
);

test.each(ROWS)(
  '%s, %s: two credentials with equal histories never see what was hidden from the other',
  async (format, mode) => {
    const searchTool = 'gateway_search_tools';
    const both = answer([callTool(searchTool, { query: WANTED }), callTool(FEW_TOOLS[0]!.name)]);
    const done = answer([callTool(WANTED)]);
    const stack = await startStack({
      script: [both, done, done],
      settings: loadBy(mode),
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
    expect(JSON.parse(ofBob!)).toHaveLength(history.messages.length);
    for (const hidden of [searchTool, WANTED]) expect(ofBob).not.toContain(hidden);
  },
);
