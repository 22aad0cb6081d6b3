import {
  answer,
  callTool,
  createGate,
  type Model,
  type ReceivedRequest,
  type ScriptedAnswer,
  say,
  think,
  waitFor,
} from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { impatient } from '../impatient.ts';
import { FEW_TOOLS } from '../raw-client.ts';
import { recordsOf, type Stack, startStack } from '../start-stack.ts';

/** An official client that retries as often as it does by default, but waits only as long as responses say. */
export interface FailingClient {
  /** Name of the upstream that it uses. */
  readonly upstream: string;
  /** The load modes that it is tried in. */
  readonly loadModes: readonly LoadMode[];
  /** Number of times that it sends a request if the response is a 502. */
  readonly requestsOf502: number;
  /** Whether the client sees the thinking in front of a search. */
  readonly showsThinking: boolean;
  /**
   * Whether the client gets the start of a text before the text itself, so that the request cannot be
   * repeated.
   */
  readonly showsBeginnings: boolean;
  /** Whether a stream without visible content gets keep-alives, for which it has to begin. */
  readonly hasHeartbeat: boolean;
  /** Returns the bytes of a streamed request. */
  readonly request: { readonly path: string; readonly body: object };
  /**
   * Returns the text of the response. Throws as the client does, or a `FailedResponse` if the client reports
   * failures in another way.
   */
  ask(url: string, isStream: boolean, options?: AskOptions): Promise<string>;
}

/** Options of a client. */
export interface AskOptions {
  /** Retries at most, in place of the default. */
  readonly maxRetries?: number;
}

type LoadMode = 'native' | 'bridge' | 'swap';

/** A response that reports its own failure without an error of the client. */
export class FailedResponse extends Error {}

const SEARCH_TOOL = 'gateway_search_tools';

/** The failure of a round. The official clients wait as long as `retry-after-ms` says. */
const RETRY = { 'retry-after-ms': '1', 'retry-after': '1' };
const SOON = { 'retry-after-ms': '1' };
const FAILURES = {
  '429': { kind: 'error', status: 429, message: 'Told by 429.', headers: RETRY },
  '500': { kind: 'error', status: 500, message: 'Told by 500.', headers: SOON },
  '503': { kind: 'error', status: 503, message: 'Told by 503.', headers: SOON },
  '529': { kind: 'error', status: 529, message: 'Told by 529.', headers: SOON },
  reset: { kind: 'hang-up' },
} as const satisfies Record<string, ScriptedAnswer>;
type Failure = keyof typeof FAILURES;
const FAILURE_NAMES = Object.keys(FAILURES) as Failure[];

const VISIBLE = { nothing: [], text: [say('Let me see. ')], thinking: [think('hm')] } as const;
type Visible = keyof typeof VISIBLE;
const VISIBLE_NAMES = Object.keys(VISIBLE) as Visible[];

/** The members that mark the result of a search, in any format. */
const RESULTS =
  /"role":"tool"|"type":"(?:tool_result|function_call_output|tool_search_output|function_result)"|"functionResponse"|"toolResult"/g;

/** Returns the number of the round that a request is for: one more than the resolved searches in it. */
function roundOf({ text }: Pick<ReceivedRequest, 'text'>): number {
  return 1 + (text.match(RESULTS) ?? []).length;
}

/** Whether the search tool is there, by Winnow's name or OpenAI's own type of tool. */
const offersSearch = ({ text }: Pick<ReceivedRequest, 'text'>) =>
  /gateway_search_tools|"tool_search"/.test(text);

/**
 * A model that searches in each round until one fails; a request without the search tool gets a text at once.
 */
function failingModel(
  failure: ScriptedAnswer,
  { round, visible }: { round: number; visible: Visible },
): Model {
  return (_, request) => {
    if (!offersSearch(request)) return answer([say('All tools were there.')]);
    if (roundOf(request) >= round) return failure;
    return answer([...VISIBLE[visible], callTool(SEARCH_TOOL, { query: FEW_TOOLS[9]!.name })]);
  };
}

/** Returns the client's result: its text, or the error that it throws. */
interface Outcome {
  readonly text?: string;
  readonly error?: { readonly name: string; readonly status: unknown; readonly words: string };
}

async function askFor(
  client: FailingClient,
  url: string,
  isStream: boolean,
  options?: AskOptions,
): Promise<Outcome> {
  try {
    return { text: await client.ask(url, isStream, options) };
  } catch (error) {
    const { name, message, ...more } = error as Error & Record<string, unknown>;
    const status = more.status ?? more.status_code;
    const words = `${message} ${JSON.stringify(more.error)}`.replaceAll(/req_\d+/g, '');
    return { error: { name: (error as Error).constructor.name || name, status, words } };
  }
}

const TOOL_SEARCH = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' };

/** One silence in a later round. */
interface Cell {
  readonly isStream: boolean;
  readonly visible: Visible;
  readonly round: number;
}

const CELLS: readonly Cell[] = [false, true].flatMap((isStream) =>
  VISIBLE_NAMES.map((visible) => ({ isStream, visible, round: 2 })),
);

/** Returns cases in every load mode; in a sample, the cases take turns. */
function inModes<Case extends object>(cases: readonly Case[], modes: readonly LoadMode[]) {
  const turnOf = (at: number) => at + Math.floor(at / 2);
  return cases.flatMap((one, at) =>
    modes
      .filter((_, mode) => inject('isExhaustive') || (turnOf(at) + mode) % modes.length === 0)
      .map((loadMode) => ({ ...one, loadMode })),
  );
}

/** Time that the upstream may be silent in these tests: longer than any responsive round takes. */
const IDLE_MS = inject('isExhaustive') ? 2_000 : 500;

/** Returns all cases in exhaustive mode, otherwise those with an even sum of traits. */
const sampleOf = <Case>(cases: readonly Case[], sumOf: (one: Case) => number): readonly Case[] =>
  inject('isExhaustive') ? cases : cases.filter((one) => sumOf(one) % 2 === 0);

/**
 * Tests how often a hidden round that fails is asked for again, and after how long a silence. What a client gets in
 * the end, the conformance kit tests.
 */
export function describeLaterRounds(client: FailingClient): void {
  const upstreamSetting = (name: string) => `PROXY_UPSTREAMS_${client.upstream.toUpperCase()}_${name}`;
  const ask = (url: string, isStream: boolean) => askFor(client, url, isStream);
  const startFailing = (
    model: Model,
    { loadMode }: { readonly loadMode: LoadMode },
    settings: Record<string, string> = {},
  ): Promise<Stack> =>
    startStack({
      model,
      isLenient: true,
      effects: impatient(),
      settings: { ...TOOL_SEARCH, [upstreamSetting('LOAD')]: loadMode, ...settings },
    });
  const everyMode = client.loadModes.map((loadMode) => ({ loadMode }));

  /**
   * Whether the client already has the head of its response when the round fails, so that only the stream can
   * report it.
   */
  const hasHead = ({ isStream, visible }: Cell) =>
    isStream && (visible === 'text' || (visible === 'thinking' && client.showsThinking));
  // All cells at once, because each of them takes time.
  test('a later round in which nothing comes for idle_timeout is asked for again, and then replaced by the original', async () => {
    const never = createGate();
    const silence = answer([say(waitFor(never), 'never')]);
    const ended = await Promise.all(
      inModes(CELLS, client.loadModes).map(async (cell) => {
        const stack = await startFailing(failingModel(silence, cell), cell, {
          [upstreamSetting('IDLE_TIMEOUT')]: `${IDLE_MS}ms`,
          [upstreamSetting('RETRY_ATTEMPTS')]: '1',
        });
        // Each retry of a client takes as long again.
        const { text, error } = await askFor(client, stack.proxyUrl, cell.isStream, { maxRetries: 0 });
        return { cell, stack, text, error };
      }),
    );
    for (const { cell, stack, text, error } of ended) {
      await recordsOf(stack, 1);
      const what = JSON.stringify(cell);
      expect(stack.records.length, what).toBe(1);
      // After a head, the start of a text is passed on at once, so that round can be neither repeated nor replaced.
      const isSeen = hasHead(cell) && client.showsBeginnings;
      if (isSeen) expect(error!.words, what).not.toContain(SEARCH_TOOL);
      else expect(text, what).toMatch(/All tools were there\.$/);
      const tries = isSeen ? 1 : 2;
      for (const { outcome, failedRounds } of stack.records) {
        expect([outcome, failedRounds?.length], what).toEqual([isSeen ? 'failed' : 'answered', tries]);
        expect(['unreachable', 'truncated'], what).toContain(failedRounds![0]!.reason);
      }
    }
    never.open();
  }, 60_000);

  describe('a later round that fails once', () => {
    const passing = sampleOf(
      FAILURE_NAMES.flatMap((failure) => VISIBLE_NAMES.map((visible) => ({ failure, visible }))),
      ({ failure, visible }) => FAILURE_NAMES.indexOf(failure) + VISIBLE_NAMES.indexOf(visible),
    );
    test.each(inModes(passing, client.loadModes))(
      'is asked for again, unnoticed: $loadMode, $failure with $visible visible',
      async ({ failure, visible, loadMode }) => {
        let failed = 0;
        const failing = failingModel(FAILURES[failure], { round: 2, visible });
        const stack = await startFailing(
          (conversation, request) => {
            if (roundOf(request) < 2) return failing(conversation, request);
            return failed++ === 0 ? failing(conversation, request) : answer([say('Done.')]);
          },
          { loadMode },
        );
        for (const isStream of [true, false]) {
          failed = 0;
          expect((await ask(stack.proxyUrl, isStream)).text).toMatch(/Done\.$/);
        }
        await recordsOf(stack, 2);
        expect(stack.records).toMatchObject([
          { outcome: 'answered', failedRounds: [{}], upstreamCalls: 3 },
          { outcome: 'answered', failedRounds: [{}], upstreamCalls: 3 },
        ]);
      },
    );

    test.each(everyMode)(
      'in the middle of its response, and of which nothing shows, is asked for again: $loadMode',
      async (mode) => {
        let tries = 0;
        const stack = await startFailing((_, request) => {
          if (roundOf(request) < 2) return answer([callTool(SEARCH_TOOL, { query: FEW_TOOLS[9]!.name })]);
          return tries++ === 0 ? answer([{ type: 'destroy' }]) : answer([say('Done.')]);
        }, mode);
        expect(await ask(stack.proxyUrl, true)).toEqual({ text: 'Done.' });
        await recordsOf(stack, 1);
        expect(stack.records[0]!.failedRounds).toMatchObject([{ reason: 'truncated' }]);
      },
    );

    test.each(everyMode)(
      'is not asked for again when the upstream wants a longer wait than the client can be kept: $loadMode',
      async (mode) => {
        const headers = { 'retry-after': '60', 'retry-after-ms': '1' };
        const failure = { kind: 'error', status: 429, headers } as const;
        const stack = await startFailing(failingModel(failure, { round: 2, visible: 'nothing' }), mode);
        const response = await fetch(`${stack.proxyUrl}${client.request.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
          body: JSON.stringify(client.request.body),
        });
        expect(response.status).toBe(429);
        expect(response.headers.get('retry-after')).toBe('60');
        await recordsOf(stack, 1);
        expect(stack.records).toMatchObject([{ upstreamCalls: 2, status: 429, outcome: 'answered' }]);
      },
    );
  });

  /** Failures that last. Where the upstream asks its clients to wait, those that have seen nothing are told to. */
  const lasting: readonly (readonly [string, ScriptedAnswer, isWaiting?: true])[] = [
    ['refused', { kind: 'error', status: 400, message: 'Told by 400.' }],
    ['429', FAILURES['429'], true],
    ['425', { kind: 'error', status: 425, message: 'Told by 425.', headers: SOON }, true],
    ['529', FAILURES['529'], true],
    ['500', FAILURES['500']],
    ['hang-up', FAILURES.reset],
    ['broken', answer([{ type: 'destroy' }])],
  ];
  test.each(
    inModes(
      lasting.flatMap(([name, failure, isWaiting]) =>
        VISIBLE_NAMES.map((visible) => ({ name, failure, visible, isWaiting })),
      ),
      client.loadModes,
    ),
  )(
    'a later round that keeps failing ends in the response to the original request: $name with $visible visible, $loadMode',
    async ({ failure, visible, loadMode, isWaiting }) => {
      const stack = await startFailing(failingModel(failure, { round: 2, visible }), { loadMode });
      for (const isStream of [true, false]) {
        const { text, error } = await askFor(client, stack.proxyUrl, isStream, { maxRetries: 0 });
        if (isWaiting && !hasHead({ isStream, visible, round: 2 })) {
          expect(error!.words).toMatch(/Told by \d+\./);
          continue;
        }
        expect(error).toBeUndefined();
        expect(text).toMatch(/All tools were there\.$/);
        expect(text).not.toContain(SEARCH_TOOL);
      }
      if (isWaiting) return;
      await recordsOf(stack, 2);
      const [streamed, whole] = stack.records;
      expect([streamed!.restoredBecause, whole!.restoredBecause]).toEqual([
        'later_round_failed',
        'later_round_failed',
      ]);
      expect([streamed!.outcome, whole!.outcome]).toEqual(['answered', 'answered']);
    },
  );

  if (client.hasHeartbeat) {
    test.each(everyMode)(
      'a stream that shows nothing begins with the first heartbeat, and its failure is then told in the stream: $loadMode',
      async ({ loadMode }) => {
        const gate = createGate();
        const beats: (() => void)[] = [];
        const stack = await startStack({
          isLenient: true,
          settings: {
            ...TOOL_SEARCH,
            [upstreamSetting('LOAD')]: loadMode,
            [upstreamSetting('RETRY_ATTEMPTS')]: '0',
          },
          effects: {
            every: (ms, callBack) => {
              if (ms === 15_000) beats.push(callBack);
              return () => {};
            },
          },
          model: async (_, request) => {
            const isFirst = offersSearch(request) && roundOf(request) < 2;
            if (isFirst) return answer([callTool(SEARCH_TOOL, { query: FEW_TOOLS[9]!.name })]);
            await gate.opened;
            return FAILURES['529'];
          },
        });
        const asked = ask(stack.proxyUrl, true);
        await stack.upstream.received(1);
        for (const beat of beats) beat();
        gate.open();
        const { error } = await asked;
        expect(error?.words).toContain('Told by 529.');
        await recordsOf(stack, 1);
        expect(stack.records).toMatchObject([{ outcome: 'failed', status: 200 }]);
      },
    );
  }
}
