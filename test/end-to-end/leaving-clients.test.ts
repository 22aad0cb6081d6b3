import { answer, callTool } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

test.each([false, true])(
  'an exchange ends whose client leaves while its session is stored (streamed: %s)',
  async (isStream) => {
    const storing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const stack = await startStack({
      script: [answer([callTool('gateway_search_tools', { query: 'x' }), callTool(FEW_TOOLS[5]!.name)])],
      effects: {
        sessions: {
          isShared: true,
          read: async () => new Map<string, string>(),
          add: () => {
            storing.resolve();
            return stored.promise;
          },
          sweep: () => {},
        },
      },
    });
    const openExchanges = async () =>
      /open_exchanges (\d)/.exec(await (await fetch(`${stack.proxyUrl}/_winnow/metrics`)).text())?.[1];
    const leaving = new AbortController();
    const sent = send({ format: 'openai', url: stack.proxyUrl, isStream, signal: leaving.signal }).then(
      (response) => response.text(),
    );
    await storing.promise;
    expect(await openExchanges()).toBe('1');
    leaving.abort();
    await expect(sent).rejects.toThrow('abort');
    // The proxy notices when it reads the end of the connection, before it handles later requests.
    await openExchanges();
    await openExchanges();
    stored.resolve();
    await recordsOf(stack, 1);
    expect(stack.records[0]!.outcome).toBe('client_gone');
    while ((await openExchanges()) !== '0');
  },
);
