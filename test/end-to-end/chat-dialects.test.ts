import {
  CHAT_DIALECTS,
  type ChatDialect,
  type JsonObject,
  type ModelPlan,
  objectsOf,
  playModel,
  startUpstream,
} from '@winnow/testkit';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, loadBy } from './raw-client.ts';
import { type Stack, startStack } from './start-stack.ts';

/** A store that keeps nothing, like one that was restarted empty. */
const FORGETFUL = {
  isShared: true,
  read: async () => new Map<string, string>(),
  add: async () => {},
  sweep: () => {},
};

const WANTED = FEW_TOOLS[9]!.name;
const STEP = { searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] };
const planOf = (chatDialect: ChatDialect): ModelPlan => ({
  chatDialect,
  thinks: true,
  turns: [{ steps: [STEP, STEP] }, { steps: [STEP] }],
});
const tools = FEW_TOOLS.map((tool) => ({ type: 'function', function: tool }));

type Belongs = (one: JsonObject, other: JsonObject, isLast: boolean) => boolean;

/** The ways in which clients join lists of blocks in the deltas of a stream. */
const JOINERS: Readonly<Record<string, Belongs | 'drop'>> = {
  'by index': (one, other) => one.index !== undefined && one.index === other.index,
  'by neighbourhood': (one, other, isLast) => isLast && one.type === other.type,
  'by type': (one, other) => one.type === other.type,
  'by concatenation': () => false,
  'not at all, and drops them': 'drop',
};

/** Adds a block: texts grow, everything else is the latest. */
function addBlock(blocks: readonly JsonObject[], block: JsonObject, belongs: Belongs): JsonObject[] {
  const at = blocks.findLastIndex((one, place) => belongs(one, block, place === blocks.length - 1));
  if (at === -1) return [...blocks, block];
  const joined: Record<string, unknown> = { ...blocks[at] };
  for (const [key, value] of Object.entries(block)) {
    const before = joined[key];
    const grows = ['text', 'thinking', 'summary'].includes(key);
    if (grows && typeof before === 'string' && typeof value === 'string') joined[key] = before + value;
    else if (grows && Array.isArray(before) && Array.isArray(value)) joined[key] = [...before, ...value];
    else if (value !== null && value !== '') joined[key] = value;
  }
  return blocks.with(at, joined);
}

function join(message: JsonObject, delta: JsonObject, joiner: Belongs | 'drop'): JsonObject {
  const joined: Record<string, unknown> = { ...message };
  for (const [key, value] of Object.entries(delta)) {
    const before = joined[key];
    if (key === 'tool_calls') {
      const calls = [...objectsOf(before)];
      for (const { index, ...part } of objectsOf(value)) {
        const called = part.function as { name?: string; arguments?: string };
        const known = calls[Number(index)] as { function: { name: string; arguments: string } } | undefined;
        calls[Number(index)] = known
          ? {
              ...known,
              function: { ...known.function, arguments: known.function.arguments + called.arguments },
            }
          : part;
      }
      joined[key] = calls;
    } else if (Array.isArray(value) || (Array.isArray(before) && key === 'content')) {
      const blocks = Array.isArray(value) ? objectsOf(value) : value ? [{ type: 'text', text: value }] : [];
      const own = joiner === 'drop' ? (key === 'content' ? 'keep' : 'drop') : joiner;
      if (own === 'drop') continue;
      const belongs: Belongs =
        own === 'keep' ? (one, other, isLast) => isLast && one.type === other.type : own;
      joined[key] = blocks.reduce(
        (all, block) => addBlock(all, block, belongs),
        objectsOf(Array.isArray(before) ? before : []),
      );
    } else if (typeof value === 'string' && typeof before === 'string' && key !== 'role')
      joined[key] = before + value;
    else if (value !== null && value !== undefined) joined[key] = value;
  }
  return joined;
}

/** Returns the status of a response, and its message as the client holds it. */
async function ask(url: string, messages: readonly JsonObject[], joiner: Belongs | 'drop' | undefined) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    body: JSON.stringify({ model: 'm', messages, tools, ...(joiner && { stream: true }) }),
  });
  const text = await response.text();
  if (!response.ok) return { status: response.status, text, message: undefined };
  if (joiner === undefined) return { status: 200, text, message: JSON.parse(text).choices[0].message };
  const chunks = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
  const deltas = chunks.flatMap(({ choices }) => choices?.[0]?.delta ?? []);
  return {
    status: 200,
    text,
    message: deltas.reduce((all, delta) => join(all, delta, joiner), {}) as JsonObject,
  };
}

/** A conversation of two questions; `urlOf` returns the address of each request. */
async function converse(
  urlOf: (number: number) => string,
  joiner: Belongs | 'drop' | undefined,
): Promise<string[]> {
  const messages: JsonObject[] = [{ role: 'user', content: 'Do it.' }];
  const said: string[] = [];
  for (let number = 0; number < 6; number++) {
    const { status, text, message } = await ask(urlOf(number), messages, joiner);
    if (message === undefined) return [...said, `${status} ${text}`];
    expect(text).not.toContain('gateway_search_tools');
    messages.push(message);
    const calls = objectsOf(message.tool_calls);
    said.push(calls.map(({ function: called }) => (called as { name: string }).name).join() || 'text');
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: 'done' });
    if (calls.length > 0) continue;
    if (messages.filter(({ role }) => role === 'user').length === 2) return said;
    messages.push({ role: 'user', content: 'And again.' });
  }
  return said;
}

const WHOLE = [WANTED, WANTED, 'text', WANTED, 'text'];
const WAYS = [['whole', undefined] as const, ...Object.entries(JOINERS)];
const MODES = inject('isExhaustive') ? (['swap', 'bridge'] as const) : (['swap'] as const);
const NAMES = Object.keys(CHAT_DIALECTS) as ChatDialect[];

describe.each(NAMES)('%s', (dialect) => {
  const ways = inject('isExhaustive') ? WAYS : [WAYS[1]!, WAYS[NAMES.indexOf(dialect) % WAYS.length]!];
  const options = (loadMode: 'swap' | 'bridge') => ({
    model: playModel(planOf(dialect)),
    rules: { chatDialect: dialect },
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...loadBy(loadMode) },
  });
  /** Whether the real server takes what the same client sends without Winnow. */
  const isTakenDirectly = async (joiner: Belongs | 'drop' | undefined) => {
    const direct = await startUpstream({
      model: playModel(planOf(dialect)),
      rules: { chatDialect: dialect },
    });
    onTestFinished(() => direct.close());
    return JSON.stringify(await converse(() => direct.url, joiner)) === JSON.stringify(WHOLE);
  };
  const rejectionsOf = ({ upstream }: Stack) =>
    upstream.rejected().map(({ rejection }) => rejection!.message);

  test.each(ways)('a client that joins its blocks %s is served as without Winnow', async (_, joiner) => {
    if (!(await isTakenDirectly(joiner))) return;
    for (const loadMode of MODES) {
      const stack = await startStack(options(loadMode));
      expect(await converse(() => stack.proxyUrl, joiner)).toEqual(WHOLE);
      expect(rejectionsOf(stack)).toEqual([]);
      expect(stack.records.map(({ restoredBecause }) => restoredBecause)).toEqual(
        stack.records.map(() => undefined),
      );
    }
  });

  test.each(ways)(
    'a client that joins its blocks %s goes on behind a Winnow that has forgotten',
    async (_, joiner) => {
      if (!(await isTakenDirectly(joiner))) return;
      const stack = await startStack({ ...options('swap'), effects: { sessions: FORGETFUL } });
      expect(await converse(() => stack.proxyUrl, joiner)).toEqual(WHOLE);
    },
  );

  test.each(ways)('a client that joins its blocks %s goes on without Winnow', async (_, joiner) => {
    if (!(await isTakenDirectly(joiner))) return;
    const stack = await startStack(options('swap'));
    const urlOf = (number: number) => (number === 0 ? stack.proxyUrl : stack.upstream.url);
    expect(await converse(urlOf, joiner)).toEqual(WHOLE);
    expect(rejectionsOf(stack)).toEqual([]);
  });
});

test('each dialect takes at least three ways of joining, and refuses what is not its own', async () => {
  for (const dialect of NAMES) {
    const direct = await startUpstream({
      model: playModel(planOf(dialect)),
      rules: { chatDialect: dialect },
    });
    const taken = [];
    for (const [name, joiner] of WAYS) {
      const said = await converse(() => direct.url, joiner);
      if (JSON.stringify(said) === JSON.stringify(WHOLE)) taken.push(name);
    }
    await direct.close();
    expect(taken.length, `${dialect}: ${taken}`).toBeGreaterThanOrEqual(3);
  }
});
