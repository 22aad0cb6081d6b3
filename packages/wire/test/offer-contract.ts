import { describe, expect, test } from 'vitest';
import { type HiddenTurn, offerTools, type Plan, type RequestView, type Round } from '../src/index.ts';
import { type AnswerName, type FormatFixtures, pathOf, SEARCH } from './format-fixtures.ts';
import { runExchange, viewOf } from './run-exchange.ts';

/** The suite's answers call a tool of this name; here, the proxy offers it. */
const OFFERED = {
  name: SEARCH,
  description: 'Finds things.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What.' },
      names: { type: 'array', items: { type: 'string' } },
      arguments: { type: 'object', description: 'Any.' },
    },
    required: ['query'],
  },
};

const PLAN: Plan = {
  loadMode: 'swap',
  defer: [],
  load: [],
  searchTool: undefined,
  offered: [SEARCH],
  reason: 'few_tools',
};

/** Tests the tools that the proxy offers in addition to the client's. */
export function testOffers(fixtures: FormatFixtures): void {
  const { format } = fixtures;
  if (format.capabilities.addedTools === undefined) return;

  describe.each([true, false])('an offer, streamed: %s', (isStream) => {
    test.each([{ names: ['weather_get', 'mail_send'] }, { names: [] }])(
      'stands behind $names.length tools of the client, and nothing else changes',
      ({ names }) => {
        const text = requestOf(fixtures, isStream, names);
        const view = offeredView(fixtures, isStream, names);
        const written = view.bytes.whole.toString();
        const body = JSON.parse(written);
        expect(fixtures.toolNamesIn(body)).toEqual([...names, SEARCH]);
        expect(fixtures.historyIn(body)).toEqual(fixtures.historyIn(JSON.parse(text)));
        const { [fixtures.toolsKey]: _, ...others } = JSON.parse(text);
        expect(body).toMatchObject(others);
        expect(format.editing.editRequest(view, PLAN, { hiddenTurns: [], rounds: [] })).toBeInstanceOf(
          Uint8Array,
        );
        expect(view.bypass).toBeUndefined();
        expect(view.tools.find(({ name }) => name === SEARCH)?.kind).toBe('other');
        expect(JSON.parse(view.clientTools!)).toEqual(names.length === 0 ? [] : toolsIn(fixtures, text));
      },
    );

    test.each<{ answers: AnswerName[] }>([
      { answers: ['search', 'call'] },
      { answers: ['search', 'two_searches', 'text'] },
      { answers: ['call_beside_search'] },
    ])('its calls in $answers are answered, hidden, and put back in later turns', ({ answers }) => {
      const { run, rounds } = converse(fixtures, isStream, answers);
      expect(run.text).not.toContain(SEARCH);
      const calls = rounds.flatMap(({ turn }) => turn.searches);
      expect(calls.length).toBeGreaterThan(0);
      for (const call of calls)
        expect(call).toMatchObject({ name: SEARCH, query: '', input: { query: expect.stringMatching(/./) } });
      const results = rounds.flatMap(({ results: all }) => all.map(({ text }) => text!));
      // The next round of the exchange.
      const view = offeredView(fixtures, isStream);
      const earlier = rounds.slice(0, -1);
      const next = textOf(format.editing.editRequest(view, PLAN, { hiddenTurns: [], rounds: earlier }));
      const told = earlier.flatMap(({ results: all }) => all.map(({ text }) => text!));
      for (const result of told) expect(next).toContain(result);
      // The next turn of the conversation.
      const hidden = JSON.parse(JSON.stringify(format.remembering.hideTurn(view, rounds))) as HiddenTurn;
      const client = isStream ? fixtures.readStream(run.text) : fixtures.readWhole(run.text);
      const messages = [fixtures.writeUserMessage('Hello'), ...fixtures.goOn(client)];
      const later = offeredView(fixtures, isStream, ['weather_get', 'mail_send'], messages);
      expect(format.remembering.recall(later, [hidden])).toHaveLength(1);
      const restored = textOf(format.editing.editRequest(later, PLAN, { hiddenTurns: [hidden], rounds: [] }));
      for (const result of results) expect(restored).toContain(result);
      // Without the offer and without hidden turns, the client's history is unchanged.
      expect(textOf(format.editing.editRequest(later, PLAN, { hiddenTurns: [], rounds: [] }))).not.toContain(
        'Result ',
      );
    });
  });
}

function converse(fixtures: FormatFixtures, isStream: boolean, answers: readonly AnswerName[]) {
  const { format } = fixtures;
  const view = offeredView(fixtures, isStream);
  const written = answers.map((name) => fixtures.answers[name]);
  const run = runExchange(format, view, written, PLAN, fixtures.framing);
  const rounds = run.rounds.map(
    ({ turn }, round): Round => ({
      turn,
      results: turn.searches.map(({ id }, at) => ({
        callId: id,
        kind: 'answered',
        tools: [],
        text: `Result ${round}-${at}`,
      })),
    }),
  );
  return { run, rounds };
}

function offeredView(
  fixtures: FormatFixtures,
  isStream: boolean,
  names = ['weather_get', 'mail_send'],
  messages?: readonly string[],
): RequestView {
  const { format } = fixtures;
  const path = pathOf(fixtures, isStream);
  const view = viewOf(format, requestOf(fixtures, isStream, names, messages), path);
  const options = { purpose: 'answer', searchToolName: 'another', path, query: '' } as const;
  return offerTools(format, view, [OFFERED], options)!;
}

function requestOf(
  fixtures: FormatFixtures,
  isStream: boolean,
  names: readonly string[],
  messages: readonly string[] = [fixtures.writeUserMessage('Hello')],
): string {
  const tools = names.map((name) => fixtures.writeTool(name, `Does ${name}.`));
  return fixtures.writeRequest({ isStream, tools, messages });
}

function toolsIn({ toolsKey }: FormatFixtures, text: string): unknown {
  return (JSON.parse(text) as Record<string, unknown>)[toolsKey];
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
