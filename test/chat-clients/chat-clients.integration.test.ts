/**
 * @module-tag litellm
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHAT_DIALECTS, type ChatDialect, playModel, startUpstream } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, loadBy } from '../end-to-end/raw-client.ts';
import { startStack } from '../end-to-end/start-stack.ts';
import { GATEWAYS } from '../system-programs.ts';

const WANTED = FEW_TOOLS[9]!.name;
const STEP = { searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] };
const TOOLS = JSON.stringify(FEW_TOOLS.map((tool) => ({ type: 'function', function: tool })));
const CLIENTS = ['openai', 'langchain', 'litellm'] as const;

/** Returns what a client is given in a conversation, or the error with which it ends. */
async function converse(client: string, url: string): Promise<unknown> {
  const command = [join(import.meta.dirname, 'chat_clients.py'), client, url, TOOLS];
  try {
    const { stdout } = await promisify(execFile)(join(GATEWAYS, 'python'), command, {
      env: { PATH: process.env.PATH, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    });
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  } catch (error) {
    return String((error as { stderr?: string }).stderr)
      .trim()
      .split('\n')
      .at(-1);
  }
}

/** The dialects of LangChain's and LiteLLM's turns; openai-python has them all. */
const KEPT: readonly ChatDialect[] = ['OpenRouter, text', 'LiteLLM, unnumbered', 'DeepSeek', 'vLLM'];

test.each(
  (Object.keys(CHAT_DIALECTS) as ChatDialect[]).flatMap((dialect) =>
    CLIENTS.filter((client) => client === 'openai' || KEPT.includes(dialect)).map((client) => ({
      dialect,
      client,
    })),
  ),
)(
  '$client is served by Winnow as by the server itself: $dialect',
  async ({ dialect, client }) => {
    const plan = { chatDialect: dialect, thinks: true, turns: [{ steps: [STEP] }, { steps: [STEP] }] };
    const rules = { chatDialect: dialect };
    const direct = await startUpstream({ model: playModel(plan), rules });
    onTestFinished(() => direct.close());
    const settings = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...loadBy('bridge') };
    const stack = await startStack({ model: playModel(plan), rules, settings });
    const [expected, actual] = await Promise.all(
      [direct.url, stack.proxyUrl].map((url) => converse(client, url)),
    );
    expect(actual).toEqual(expected);
    if (Array.isArray(expected)) expect(expected).toEqual([WANTED, 'text', WANTED, 'text']);
  },
  60_000,
);
