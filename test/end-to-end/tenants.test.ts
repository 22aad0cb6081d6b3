import { answer, callTool, say } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { defines, FEW_TOOLS, loadBy, rowsOfModes, send } from './raw-client.ts';
import { startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

interface SetUp {
  readonly settings?: Readonly<Record<string, string>>;
  readonly headersOf: (user: string) => Readonly<Record<string, string>>;
}

/** The upstream requires a key, which is the operator's if clients have none. */
const KEYS = { PROXY_UPSTREAMS_OPENAI_API_KEY: 'k', PROXY_UPSTREAMS_ANTHROPIC_API_KEY: 'k' };

/** Ways in which two people use one proxy. All of them come from one address, as through a balancer. */
const SET_UPS: readonly [string, SetUp][] = [
  ['the key is the operator’s, and clients send none', { headersOf: () => ({}) }],
  ['a balancer stands between, and there is no key', { headersOf: (user) => ({ 'x-forwarded-for': user }) }],
  ['both are behind one address', { headersOf: () => ({}) }],
  ['the key is in a header that no setting names', { headersOf: (user) => ({ 'x-litellm-api-key': user }) }],
  ['the key is a scheme without a token', { headersOf: () => ({ authorization: 'Bearer ' }) }],
  [
    'the key is in a header that was named',
    {
      settings: { PROXY_SESSIONS_TENANT_HEADERS: 'X-LiteLLM-Api-Key' },
      headersOf: (user) => ({ 'x-litellm-api-key': user }),
    },
  ],
  [
    'each has a token of the proxy’s own next to a placeholder that all send',
    {
      settings: { PROXY_SERVER_TOKENS: 'alice,bob' },
      headersOf: (user) => ({
        ...{ authorization: 'Bearer none', 'x-api-key': 'none' },
        'x-winnow-token': user,
      }),
    },
  ],
  [
    'each has a key of his own',
    { headersOf: (user) => ({ authorization: `Bearer ${user}`, 'x-api-key': user }) },
  ],
];

/** Each set-up in both modes. */
const ROWS = rowsOfModes('anthropic').flatMap(([format, mode]) =>
  SET_UPS.map(([name, setUp]) => [format, mode, name, setUp] as const),
);

test.each(ROWS)(
  '%s, %s: where %s, no user gets the tools that another has found',
  async (format, mode, _, { settings, headersOf }) => {
    const stack = await startStack({
      script: [
        answer([callTool(SEARCH_TOOL, { query: WANTED })]),
        ...[1, 2, 3].map(() => answer([say('Done.')])),
      ],
      settings: { ...loadBy(mode), ...KEYS, ...settings },
    });
    const bare = { authorization: '', 'x-api-key': '' };
    const ask = async (user: string, more = {}) => {
      const response = await send({
        format,
        url: stack.proxyUrl,
        headers: { ...bare, ...headersOf(user) },
        more: { model: 'claude-opus-4-5', max_tokens: 100, ...more },
      });
      expect(response.status).toBe(200);
      await response.text();
    };
    await ask('alice');
    // The same first message, and the same response.
    const messages = [
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'And now?' },
    ];
    await ask('bob', { messages });
    const { text, json } = stack.upstream.requests.at(-1)!;
    expect((json as { messages: unknown[] }).messages).toHaveLength(3);
    expect(defines(text, WANTED)).toBe(false);
    expect(stack.upstream.rejected()).toEqual([]);
  },
);

test.each(
  (['swap', 'bridge'] as const).flatMap(
    (mode) =>
      [
        [mode, 'named', { PROXY_SESSIONS_TENANT_HEADERS: 'x-litellm-api-key' }, true],
        [mode, 'not named', {}, false],
      ] as const,
  ),
)('%s: a key in a header that is %s tells who has searched', async (mode, _, settings, isKnown) => {
  const stack = await startStack({
    script: [
      answer([callTool(SEARCH_TOOL, { query: WANTED })]),
      answer([say('Done.')]),
      answer([say('Yes.')]),
    ],
    settings: { ...loadBy(mode), ...KEYS, ...settings },
  });
  const headers = { authorization: '', 'x-litellm-api-key': 'alice' };
  const messages = [
    { role: 'user', content: 'Do it.' },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'And now?' },
  ];
  await (await send({ format: 'openai', url: stack.proxyUrl, headers })).text();
  await (await send({ format: 'openai', url: stack.proxyUrl, headers, more: { messages } })).text();
  expect(defines(stack.upstream.requests.at(-1)!.text, WANTED)).toBe(isKnown);
});
