import type { ProxyEffects } from '@winnow/proxy';
import {
  answer,
  callTool,
  createGate,
  type Gate,
  type Model,
  type ModelPlan,
  playModel,
  type ReceivedRequest,
  say,
  startUpstream,
  type Upstream,
  waitFor,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { optionsOf, ROWS, type Row, title } from './clients/rows.ts';
import { TOOLS } from './conversation-plan.ts';
import { FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

const SEARCH_TOOL = 'gateway_search_tools';

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

const nameOf = (position: number): string => TOOLS[position]!.name;
const USER_MESSAGES = ['First do this.', 'Then do that.', 'At last do both.'];

/** Turns that search, find and call; the last one calls tools found earlier. */
const PLAN: ModelPlan = {
  turns: [
    { steps: [{ searchFor: [nameOf(3)], thenCall: [{ name: nameOf(3), input: { number: 1 } }] }] },
    { steps: [{ searchFor: [nameOf(20)], thenCall: [{ name: nameOf(20), input: { number: 2 } }] }] },
    {
      steps: [
        {
          thenCall: [
            { name: nameOf(3), input: { number: 3 } },
            { name: nameOf(20), input: { number: 4 } },
          ],
        },
      ],
    },
  ],
};

/** Marks of the aborted response, and of the tools that only it finds. */
const MARK = 'zzqx-left-behind';
const FOUND_IN_VAIN = nameOf(30);
const LEFT_PLAN: ModelPlan = {
  turns: [
    {},
    { steps: [{ searchFor: [`${FOUND_IN_VAIN} ${MARK}`], thenCall: [{ name: FOUND_IN_VAIN, input: {} }] }] },
  ],
  narratesSearches: true,
};

/**
 * Follows the plan, except for the first request with the second message: searches if it can, speaks, and
 * never ends.
 */
function modelToLeave(thinks: boolean, gate: Gate): Model {
  const played = playModel({ ...PLAN, thinks });
  const left = playModel({ ...LEFT_PLAN, thinks });
  let isLeft = false;
  return (conversation, request) => {
    const { turns, callable } = conversation;
    if (isLeft || turns.filter(({ role }) => role === 'user').length !== 2)
      return played(conversation, request);
    if (callable.has(SEARCH_TOOL) && turns.at(-1)?.role === 'user') return left(conversation, request);
    isLeft = true;
    return answer([say('Half of ', waitFor(gate), 'what no one hears.')]);
  };
}

/** A conversation whose client leaves as soon as the upstream stalls, with the request that it abandoned. */
async function converseAndLeave(
  row: Row,
  url: string,
  { upstream, gate }: { upstream: Upstream; gate: Gate },
) {
  const leaving = new AbortController();
  let left: ReceivedRequest | undefined;
  void gate.reached.then(() => {
    left = upstream.requests.at(-1);
    leaving.abort();
  });
  const request = { ...row, url, tools: TOOLS, userMessages: USER_MESSAGES, leaving: leaving.signal };
  const transcript = await row.client.converse(request);
  return { transcript, left: left! };
}

/** A store of one process, with everything that was ever put into it. */
function rememberingStore() {
  const values = new Map<string, string>();
  const written: string[] = [];
  const sessions: NonNullable<ProxyEffects['sessions']> = {
    isShared: false,
    read: async (tenant, keys) => {
      const known = keys.filter((key) => values.has(tenant + key));
      return new Map(known.map((key) => [key, values.get(tenant + key)!]));
    },
    add: async ({ tenant }, notes) => {
      for (const { key, value } of notes) {
        values.set(tenant + key, value);
        written.push(key, value);
      }
    },
    sweep: () => {},
  };
  return { sessions, written };
}

/**
 * LangChain's package for Gemini does not pass the signal on for whole responses, and its aborted stream
 * rejects an unhandled promise. So its users cannot abort, with or without Winnow.
 */
const canLeave = ({ client }: Row) => client.name !== '@langchain/google-genai';

describe('a client that leaves in a hidden round, and whose user asks once more', () => {
  test.each(ROWS.filter(canLeave).map((row) => [title(row), row] as const))('%s', async (_, row) => {
    const directGate = createGate();
    const direct = await startUpstream({ model: modelToLeave(row.thinks, directGate) });
    onTestFinished(() => direct.close());
    const gate = createGate();
    const { sessions, written } = rememberingStore();
    const options = { ...optionsOf(row), effects: { sessions } };
    const stack = await startStack({ ...options, model: modelToLeave(row.thinks, gate) });
    const tap = await startTap(stack.proxyUrl);

    const expected = await converseAndLeave(row, direct.url, { upstream: direct, gate: directGate });
    const actual = await converseAndLeave(row, tap.url, { upstream: stack.upstream, gate });

    // The conversation continues as it would have.
    expect(actual.transcript).toEqual(expected.transcript);
    expect(JSON.stringify(expected.transcript)).toContain(nameOf(20));
    expect(stack.upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
    expect(direct.rejected().map(({ rejection }) => rejection)).toEqual([]);
    // The upstream request was aborted, in a round unknown to the client, after a stream has shown some text.
    expect(await actual.left.answer.ended).toBe('client-left');
    await recordsOf(stack, expected.transcript.length + 1);
    const gone = stack.records.filter(({ outcome }) => outcome === 'client_gone');
    expect(gone).toMatchObject([{ upstreamCalls: 2, searches: [{ outcome: 'found' }] }]);
    expect(stack.records.map(({ restoredBecause }) => restoredBecause)).toEqual(
      stack.records.map(() => undefined),
    );
    if (row.isStream && row.client.format !== 'invoke')
      expect(tap.toClient().toString()).toContain('Looking');
    // No trace of it is left, neither in the store nor in later requests.
    expect(written.join()).toContain(nameOf(20));
    expect(written.filter((text) => text.includes(MARK))).toEqual([]);
    const later = stack.upstream.requests.slice(actual.left.number + 1);
    expect(later.filter(({ text }) => text.includes(MARK))).toEqual([]);
    if (row.loadMode === 'swap') {
      expect(later.filter(({ text }) => text.includes(`"name":"${FOUND_IN_VAIN}"`))).toEqual([]);
    }
    expect(tap.toClient().includes(SEARCH_TOOL)).toBe(false);
  });
});
