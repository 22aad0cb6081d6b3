import { answer, callTool, type Model, say, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { optionsOf, ROWS, type Row, title } from './clients/rows.ts';
import { TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { impatient } from './impatient.ts';
import { recordsOf, startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

const SEARCH_TOOL = 'gateway_search_tools';

/** No client has to wait. */
const FAILURE = {
  kind: 'error',
  status: 503,
  message: 'Told by 503.',
  headers: { 'retry-after-ms': '1' },
} as const;

/** Searches, and fails as soon as the search has a result. */
function failsInRound2(...visible: Parameters<typeof answer>[0]): Model {
  let calls = 0;
  return () =>
    calls++ === 0 ? answer([...visible, callTool(SEARCH_TOOL, { query: TOOLS[9]!.name })]) : FAILURE;
}

/**
 * The error that the library threw: its class, and its message without the parts that differ between
 * requests.
 */
async function failureOf(row: Row, url: string): Promise<{ name: string; words: string }> {
  const request = { ...row, url, tools: TOOLS, userMessages: USER_MESSAGES.slice(0, 1) };
  const transcript = await row.client.converse(request).catch((error: Error) => error);
  if (!(transcript instanceof Error)) throw new Error(`no failure, but ${JSON.stringify(transcript)}`);
  return {
    name: transcript.constructor.name,
    words: transcript.message.replaceAll(/req_\w+|[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replaceAll(url, 'URL'),
  };
}

// A thought makes no difference to a failure.
const rows = [
  ...Map.groupBy(
    ROWS.map((row) => ({ ...row, thinks: false })),
    title,
  ).values(),
].map(([row]) => row!);

describe('a client whose upstream fails in a hidden round', () => {
  test.each(rows.map((row) => [title(row), row] as const))(
    'throws what it throws without Winnow: %s',
    async (_, row) => {
      const direct = await startUpstream({ model: () => FAILURE, isLenient: true });
      onTestFinished(() => direct.close());
      const stack = await startStack({
        model: failsInRound2(),
        isLenient: true,
        effects: impatient(),
        ...optionsOf(row),
      });
      const tap = await startTap(stack.proxyUrl);

      expect(await failureOf(row, tap.url)).toEqual(await failureOf(row, direct.url));
      expect(tap.toClient().includes(SEARCH_TOOL)).toBe(false);
      await recordsOf(stack, 1);
      expect(stack.records[0]).toMatchObject({ status: 503, failedRounds: [{ round: 2 }, {}, {}] });
    },
  );

  test.each(rows.filter(({ isStream }) => isStream).map((row) => [title(row), row] as const))(
    'is told so behind what it has seen: %s',
    async (_, row) => {
      const model = failsInRound2(say('Let me see. '));
      const stack = await startStack({ model, isLenient: true, effects: impatient(), ...optionsOf(row) });
      const tap = await startTap(stack.proxyUrl);

      // Most throw; some end with their own reason for it, and some ignore errors within streams.
      const request = { ...row, url: tap.url, tools: TOOLS, userMessages: USER_MESSAGES.slice(0, 1) };
      const end = await row.client.converse(request).catch(String);
      expect(JSON.stringify(end)).not.toContain(SEARCH_TOOL);
      expect(tap.toClient().includes(SEARCH_TOOL)).toBe(false);
      expect(tap.toClient().toString()).toContain('Told by 503.');
      await recordsOf(stack, 1);
      expect(stack.records[0]).toMatchObject({ status: 200, outcome: 'failed' });
    },
  );
});
