import { gzipSync } from 'node:zlib';
import {
  answer,
  callTool,
  createGate,
  type ErrorAnswer,
  type ScriptEntry,
  say,
  waitFor,
} from '@winnow/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bodyOf, FEW_TOOLS, send, type WireFormat } from '../end-to-end/raw-client.ts';
import { readText } from '../end-to-end/read-text.ts';
import { startTopology, type Topology, type TopologyOptions } from './start-topology.ts';

/** A tool that no request shows at first. */
export const WANTED: string = FEW_TOOLS[9]!.name;
export const SEARCH_TOOL = 'gateway_search_tools';

/** Models by format, as the guide's configurations know them. */
export const MODELS: Readonly<Record<WireFormat, string>> = {
  openai: 'gpt-5.2',
  anthropic: 'claude-opus-4-5',
};

/** Facts about a topology. */
export interface Expectations {
  readonly options: TopologyOptions;
  /** The client's key. */
  readonly clientKey: string;
  /** The keys that the provider gets. */
  readonly providerKeys: Readonly<Record<WireFormat, string>>;
  /** Requests that reach the provider when every request fails, and when every request after a search does. */
  readonly requests: { readonly ifAllFail: number; readonly ifLaterFail: number };
  /** The status that a client gets for each of the provider's. */
  readonly statuses: Readonly<Record<WireFormat, Readonly<Record<'429' | '503' | '529', number>>>>;
  /** Whether clients get the provider's `retry-after`. */
  readonly passesRetryAfter: boolean;
  /** Whether the provider learns that a client has left that waits for a whole response. */
  readonly cancelsWhole: boolean;
  /** The statuses of requests with a head of 40 KB, a body of 8 MB, and a body in gzip. */
  readonly refusals: {
    readonly longHead: number;
    readonly largeBody: Readonly<Record<WireFormat, number>>;
    readonly gzip: number;
  };
}

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];

/** A request of a client of a topology. */
export interface Asking {
  readonly format: WireFormat;
  readonly isStream?: boolean;
  readonly signal?: AbortSignal;
  readonly key?: string;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs what holds in every topology; returns what tests of their own need. */
export function topologySuite({
  options,
  clientKey,
  providerKeys,
  requests,
  statuses,
  passesRetryAfter,
  cancelsWhole,
  refusals,
}: Expectations) {
  let topology: Topology;
  beforeAll(async () => {
    topology = await startTopology(options);
  }, 180_000);
  afterAll(() => topology?.stop());
  afterEach(() => {
    topology.script.splice(0);
    topology.received();
    expect(topology.provider.rejected()).toEqual([]);
  });

  const ask = ({ format, key = clientKey, more, headers, ...rest }: Asking): Promise<Response> =>
    send({
      ...{ format, url: topology.url, ...rest },
      headers: {
        ...(format === 'openai' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }),
        ...headers,
      },
      more: { model: MODELS[format], ...more },
    });
  const search = () => answer([callTool(SEARCH_TOOL, { query: WANTED })]);
  /** The call of the tool that was found: by the bridge tool where the request has one. */
  const callWanted = (): ScriptEntry => (request) => {
    const isBridged = request.text.includes('"gateway_call_tool"');
    const call = isBridged
      ? callTool('gateway_call_tool', { name: WANTED, arguments: {} })
      : callTool(WANTED);
    return answer([call]);
  };

  const rows = FORMATS.flatMap((format) => [false, true].map((isStream) => ({ format, isStream })));
  test.each(rows)('$format, stream $isStream: a search is hidden, and its call arrives', async (row) => {
    topology.script.push(search(), callWanted());
    const response = await ask(row);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(text).toContain(WANTED);
    expect(text).not.toMatch(/gateway_(search|call)/);
    const [first, second, ...others] = topology.received();
    expect(first!.text).toMatch(/defer_loading|gateway_call_tool/);
    expect(second!.text).toContain(WANTED);
    expect(others).toEqual([]);
  });

  test.each(FORMATS)('%s: the provider gets its own key, and no other', async (format) => {
    topology.script.push(answer([say('Done.')]));
    await (await ask({ format })).text();
    const [{ headers, rawHeaders }] = topology.received() as never as [
      { headers: Record<string, string>; rawHeaders: string[] },
    ];
    const key = format === 'openai' ? headers.authorization : headers['x-api-key'];
    expect(key).toBe(format === 'openai' ? `Bearer ${providerKeys.openai}` : providerKeys.anthropic);
    if (clientKey !== providerKeys[format]) expect(rawHeaders.join('\n')).not.toContain(clientKey);
  });

  test.each(FORMATS)('%s: each event arrives while the provider holds back the next', async (format) => {
    const gates = [createGate(), createGate()];
    topology.script.push(
      answer([say('Let me look. '), callTool(SEARCH_TOOL, { query: WANTED })]),
      answer([say('First. ', waitFor(gates[0]!), 'Second. ', waitFor(gates[1]!), 'Third.')]),
    );
    const reader = readText(await ask({ format, isStream: true }));
    await reader.until('First. ');
    gates[0]!.open();
    await reader.until('Second. ');
    expect(reader.text()).not.toContain('Third.');
    gates[1]!.open();
    await reader.end();
    expect(reader.text()).toContain('Third.');
  });

  test.each(FORMATS)('%s: a client that leaves its stream ends the one of the provider', async (format) => {
    const gate = createGate();
    topology.script.push(search(), answer([say('First. ', waitFor(gate), 'Second.')]));
    const leaving = new AbortController();
    const reader = readText(await ask({ format, isStream: true, signal: leaving.signal }));
    await reader.until('First. ');
    leaving.abort();
    const [, second] = topology.received();
    expect(await second!.answer.ended).toBe('client-left');
    gate.open();
  });

  test.each(FORMATS)(
    `%s: a client that does not wait for a whole response ${cancelsWhole ? 'ends' : 'does not end'} it at the provider`,
    async (format) => {
      const gate = createGate();
      topology.script.push(async () => {
        gate.reach();
        await gate.opened;
        return answer([say('Done.')]);
      });
      const leaving = new AbortController();
      const asked = ask({ format, signal: leaving.signal }).catch(() => undefined);
      await gate.reached;
      leaving.abort();
      await asked;
      const { answer: left } = topology.provider.requests.at(-1)!;
      if (cancelsWhole) expect(await left.ended).toBe('client-left');
      else {
        // By the time of another response, the gateway knows that the client has left.
        await (await ask({ format })).text();
        expect(left.hasEnded).toBe(false);
      }
      gate.open();
    },
  );

  test.each(FORMATS)('%s: one party repeats what fails, and a client learns the status', async (format) => {
    for (const status of [429, 503, 529] as const) {
      const failing: ErrorAnswer = { kind: 'error', status, headers: { 'retry-after': '0' } };
      const many = Array.from({ length: 40 }, () => failing);
      for (const [before, expected] of [
        [[], requests.ifAllFail],
        [[search()], requests.ifLaterFail],
      ] as const) {
        topology.script.push(...before, ...many);
        const response = await ask({ format });
        await response.text();
        expect.soft([status, response.status]).toEqual([status, statuses[format][status]]);
        expect.soft([status, topology.received().length]).toEqual([status, expected]);
        expect.soft(response.headers.has('retry-after')).toBe(passesRetryAfter);
        topology.script.splice(0);
      }
    }
  });

  test.each(FORMATS)('%s: what was found is known in the next turn', async (format) => {
    topology.script.push(search(), callWanted(), answer([say('Done.')]));
    const call = await (await ask({ format })).json();
    const turns = format === 'openai' ? nextChat(call) : nextMessages(call);
    const response = await ask({ format, more: { messages: turns } });
    expect(response.status, await response.text()).toBe(200);
    const [, , last] = topology.received();
    expect(last!.text).toContain(SEARCH_TOOL);
    expect(last!.text.match(new RegExp(`"query\\W+${WANTED}`))).not.toBeNull();
  });

  test.each(FORMATS)('%s: each client has conversations of its own', async (format) => {
    const turn = async (key: string, ...further: readonly string[]) => {
      const messages = ['Do it.', ...further].map((content, at) => ({
        role: at % 2 === 0 ? 'user' : 'assistant',
        content,
      }));
      const response = await ask({ format, key, more: { messages } });
      expect(response.status, await response.text()).toBe(200);
      return topology.received();
    };
    topology.script.push(search(), ...[1, 2, 3].map(() => answer([say('Done.')])));
    expect(await turn(clientKey)).toHaveLength(2);
    const [ofAnother] = await turn('sk-bob', 'Done.', 'Go on.');
    const [ofTheSame] = await turn(clientKey, 'Done.', 'Go on.');
    // The search that only one of the conversations has had.
    const mentions = (text: string) => text.split(SEARCH_TOOL).length - 1;
    expect(mentions(ofTheSame!.text)).toBe(mentions(ofAnother!.text) + 1);
  });

  test.each(FORMATS)('%s: a session that a client names is known by its name', async (format) => {
    const before = topology.records.length;
    for (const [session, content] of [
      ['one', 'Do it.'],
      ['one', 'Do something else.'],
      ['two', 'Do it.'],
    ] as const) {
      topology.script.push(answer([say('Done.')]));
      const more = { messages: [{ role: 'user', content }], metadata: { user_id: `user_${session}` } };
      const response = await ask({ format, headers: { 'x-winnow-session': session }, more });
      expect(response.status, await response.text()).toBe(200);
    }
    await expect.poll(() => topology.records.length).toBe(before + 3);
    const [first, second, third] = topology.records.slice(before).map(({ session }) => session);
    expect([second, third === first]).toEqual([first, false]);
    const [sent] = topology.received();
    expect(sent!.headers['x-winnow-session']).toBeUndefined();
    if (format === 'anthropic') expect(sent!.json).toMatchObject({ metadata: { user_id: 'user_one' } });
  });

  test.each(FORMATS)(
    '%s: a body of 4 MB and a head of 12 KB pass, larger ones are refused',
    async (format) => {
      const sized = (characters: number) => [{ role: 'user', content: 'word '.repeat(characters / 5) }];
      const head = (bytes: number) => ({ 'x-note': 'a'.repeat(bytes) });
      topology.script.push(answer([say('Done.')]));
      const passed = await ask({ format, headers: head(12_000), more: { messages: sized(4_000_000) } });
      expect(passed.status, (await passed.text()).slice(0, 300)).toBe(200);
      expect(topology.received()[0]!.bytes.length).toBeGreaterThan(4_000_000);
      const [long, large] = [
        await ask({ format, headers: head(40_000) }),
        await ask({ format, more: { messages: sized(8_000_000) } }),
      ];
      expect([long.status, large.status]).toEqual([refusals.longHead, refusals.largeBody[format]]);
      expect(topology.received()).toEqual([]);
    },
  );

  test.each(FORMATS)(`%s: a request in gzip gets ${refusals.gzip}`, async (format) => {
    topology.script.push(answer([say('Done.')]));
    const [path, headers] =
      format === 'openai'
        ? ['/v1/chat/completions', { authorization: `Bearer ${clientKey}` }]
        : ['/v1/messages', { 'x-api-key': clientKey, 'anthropic-version': '2023-06-01' }];
    const response = await fetch(topology.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' } as never,
      body: gzipSync(bodyOf({ format, url: '', more: { model: MODELS[format] } })),
    });
    expect(response.status, await response.text()).toBe(refusals.gzip);
  });

  return { topology: () => topology, ask, search, callWanted };
}

const USER = { role: 'user', content: 'Do it.' };

function nextChat(body: unknown): unknown[] {
  const { message } = (body as { choices: [{ message: { tool_calls: [{ id: string }] } }] }).choices[0];
  return [USER, message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'It is done.' }];
}

function nextMessages(body: unknown): unknown[] {
  const { content } = body as { content: { type: string; id: string }[] };
  const { id } = content.find(({ type }) => type === 'tool_use')!;
  const results = [{ type: 'tool_result', tool_use_id: id, content: 'It is done.' }];
  return [USER, { role: 'assistant', content }, { role: 'user', content: results }];
}
