import { answer, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { AGENT_REQUESTS, type AgentRequest } from './agents/coding-agents.ts';
import { loadBy, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

/** Settings of a fresh installation, apart from the bill; the stack has others. Preloaded tools stand in `tools`. */
const DEFAULTS = {
  PROXY_TOOLS_GOAL: 'context',
  ...loadBy('swap'),
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_DEFERRED_TOKENS: '2000',
  PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '5',
};

const startDefault = (settings: Readonly<Record<string, string>> = {}) =>
  startStack({ model: () => answer([say('Done.')]), settings: { ...DEFAULTS, ...settings } });

/** The names of the tools that the model saw in the request of that number. */
function seen(stack: Stack, number: number): string[] {
  const { tools } = JSON.parse(stack.upstream.requests[number]!.text) as { tools: SeenTool[] };
  return tools.map(({ name, function: described }) => described?.name ?? name!);
}

interface SeenTool {
  readonly name?: string;
  readonly function?: { readonly name: string };
}

async function sendTo(stack: Stack, { format, body }: AgentRequest, more: object = {}): Promise<void> {
  const response = await send({ format, url: stack.proxyUrl }, JSON.stringify({ ...body, ...more }));
  expect(response.status).toBe(200);
  await response.text();
}

describe.each(AGENT_REQUESTS)('the first request of $agent', (request) => {
  const { namedByPrompt, ofInteraction, others, needed } = request;

  test.each(['tool-search', 'api'])('shows what the agent needs at once (%s)', async (strategy) => {
    const stack = await startDefault({ PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: strategy });
    await sendTo(stack, request);
    const names = seen(stack, 0);
    expect(names).toEqual(expect.arrayContaining([...namedByPrompt, ...ofInteraction]));
    expect(names).toContain('gateway_search_tools');
    expect(names).toContain(needed);
    // Five tools that the user's message needs, and none for the content of the agent's own blocks.
    expect(names.length).toBe(namedByPrompt.length + ofInteraction.length + 5 + 1);
    for (const name of others) expect(names).not.toContain(name);
  });

  test('shows the same on the following turns, whatever they ask for', async () => {
    const stack = await startDefault();
    await sendTo(stack, request);
    const messages = [
      ...(request.body.messages as object[]),
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'And now the weather forecast, and an invoice.' },
    ];
    await sendTo(stack, request, { messages });
    expect(seen(stack, 1)).toEqual(seen(stack, 0));
  });

  test('shows only what the prompt and the agent itself need without preloading', async () => {
    const stack = await startDefault({ PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '0' });
    await sendTo(stack, request);
    await recordsOf(stack, 1);
    expect(seen(stack, 0).length).toBe(namedByPrompt.length + ofInteraction.length + 1);
    expect(stack.records[0]!.tools.loaded).toBe(0);
  });

  test('has a record of what was preloaded, and of what always_keep is for', async () => {
    const stack = await startDefault({
      PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: 'calendar_*,no_such_tool,gone_*',
    });
    await sendTo(stack, request);
    await recordsOf(stack, 1);
    const { tools, alwaysKeep } = stack.records[0]!;
    expect(tools.loaded).toBe(5);
    expect(alwaysKeep).toEqual({ 'calendar_*': expect.any(Number), no_such_tool: 0, 'gone_*': 0 });
    expect(alwaysKeep!['calendar_*']).toBeGreaterThan(1);
    expect(seen(stack, 0).filter((name) => name.startsWith('calendar_')).length).toBe(
      alwaysKeep!['calendar_*'],
    );
  });
});

describe('the preloaded tools of a session that the client names', () => {
  const [request] = AGENT_REQUESTS;
  const { body, format } = request!;
  const tools = body.tools as readonly SeenTool[];
  const opening = body.messages as readonly object[];
  const headers = { 'x-winnow-session': 'the-session' };
  const later = [
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'And now the weather forecast, and an invoice.' },
  ];
  /** Fits the first message better than any other tool. */
  const grown = [...tools, { ...tools.at(-1), name: 'pull_request_branch_open' }];

  async function seenAfter(stack: Stack, more: object, sent: Readonly<Record<string, string>> = headers) {
    const number = stack.upstream.requests.length;
    const response = await send(
      { format, url: stack.proxyUrl, headers: sent },
      JSON.stringify({ ...body, ...more }),
    );
    expect(response.status).toBe(200);
    await response.text();
    await recordsOf(stack, number + 1);
    return seen(stack, number);
  }

  test.each<[string, object]>([
    ['the catalogue grows', { messages: [...opening, ...later], tools: grown }],
    ['the history is trimmed', { messages: [later[1], ...later] }],
  ])('stay when %s', async (_, more) => {
    const stack = await startDefault();
    const first = await seenAfter(stack, {});
    expect(await seenAfter(stack, more)).toEqual(first);
    // Without the session, nothing identifies the conversation.
    expect(await seenAfter(stack, more, {})).not.toEqual(first);
  });

  test('are not those of another conversation in it', async () => {
    const stack = await startDefault();
    const first = await seenAfter(stack, {});
    const other = { messages: [later[1]] };
    const seenByOther = await seenAfter(stack, other);
    expect(seenByOther).not.toEqual(first);
    expect(await seenAfter(stack, { messages: [later[1], ...later] })).toEqual(seenByOther);
  });

  test('are not those of another credential', async () => {
    const stack = await startDefault();
    const first = await seenAfter(stack, {});
    const more = { messages: [later[1], ...later] };
    expect(await seenAfter(stack, more, { ...headers, 'x-api-key': 'other' })).not.toEqual(first);
  });
});

test('a conversation that is observed only is planned in the same way', async () => {
  const [request] = AGENT_REQUESTS;
  const stack = await startDefault({ PROXY_ROLLOUT_MODE: 'dark' });
  await sendTo(stack, request!);
  await recordsOf(stack, 1);
  const { body, namedByPrompt, ofInteraction } = request!;
  const total = (body.tools as object[]).length;
  const kept = namedByPrompt.length + ofInteraction.length;
  expect(stack.records[0]!.tools).toMatchObject({ total, deferred: total - kept, loaded: 5 });
});
