import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { BodyBytes, type Plan } from '../src/index.ts';
import { type FormatFixtures, pathOf, type RequestOptions, SEARCH } from './format-fixtures.ts';
import { rawJson, rawMembers } from './raw-json.ts';
import { planOf, runExchange, viewOf } from './run-exchange.ts';

const NOTHING = { hiddenTurns: [], rounds: [] };

/** Tests the behaviour that all formats share in reading and editing requests. */
export function testRequestContract(fixtures: FormatFixtures): void {
  describe('requests', () => {
    testFidelity(fixtures);
    testTools(fixtures);
    testReading(fixtures);
    testRounds(fixtures);
  });
}

function testFidelity(fixtures: FormatFixtures): void {
  const { format } = fixtures;
  const edit = (text: string, plan: Plan) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      format.editing.editRequest(viewOf(format, text, fixtures.path), plan, NOTHING),
    );

  test('gives back the very same bytes when there is nothing to do', () => {
    const view = viewOf(format, request(fixtures, { isStream: true }), pathOf(fixtures, true));
    const plan = { ...planOf([]), searchTool: undefined };
    expect(format.editing.editRequest(view, plan, NOTHING)).toBe(view.bytes.whole);
  });

  test('keeps every byte outside the tools, whatever JSON stands there', () => {
    fc.assert(
      fc.property(rawMembers, fc.array(rawJson, { maxLength: 3 }), (firstMembers, oddities) => {
        const tools = ['a', 'b', 'c', 'd'].map((name, index) => {
          const odd = oddities[index] ?? 'null';
          return fixtures.writeTool(name, 'Does.').replace(/\}$/, () => ` , "x" :${odd}\n}`);
        });
        const text = request(fixtures, { isStream: false, tools, firstMembers });
        const edited = edit(text, planOf(['d', 'b'], ['d']));
        const [before, after] = text.split(tools.join(',')) as [string, string];
        expect(edited.startsWith(`${before}${tools[0]},${tools[2]},`)).toBe(true);
        expect(edited.endsWith(`,${tools[3]}${after}`)).toBe(true);
        const added = edited.slice(before.length + tools[0]!.length + tools[2]!.length + 2);
        expect(added.slice(0, added.length - `,${tools[3]}${after}`.length)).toContain(SEARCH);
      }),
      { numRuns: inject('isExhaustive') ? 100 : 10 },
    );
  });

  test('edits the last of two lists of tools, which is the one that parsers read', () => {
    const first = `"${fixtures.toolsKey}" : ${fixtures.writeTools([' {"x":1.0} '])},`;
    const edited = edit(request(fixtures, { isStream: false, firstMembers: first }), planOf(['mail_send']));
    expect(edited.startsWith(`{${first}`)).toBe(true);
    expect(fixtures.toolNamesIn(JSON.parse(edited))).toEqual(['weather_get', 'file_read', SEARCH]);
  });

  test('keeps a byte order mark', () => {
    const text = `\ufeff${request(fixtures, { isStream: false })}`;
    expect(edit(text, planOf(['mail_send'])).startsWith('\ufeff{')).toBe(true);
  });

  test('edits megabytes like bytes', () => {
    const long = `"x":"${'\\"[{é'.repeat(inject('isExhaustive') ? 2_000_000 : 20_000)}",`;
    const short = request(fixtures, { isStream: false });
    const edited = edit(request(fixtures, { isStream: false, firstMembers: long }), planOf(['mail_send']));
    expect(edited.length - edit(short, planOf(['mail_send'])).length).toBe(long.length);
  });

  test('edits the same again', () => {
    const view = viewOf(format, request(fixtures, { isStream: true }), pathOf(fixtures, true));
    const plan = planOf(['mail_send', 'file_read'], ['file_read']);
    expect(format.editing.editRequest(view, plan, NOTHING)).toEqual(
      format.editing.editRequest(view, plan, NOTHING),
    );
  });
}

function testTools(fixtures: FormatFixtures): void {
  const { format } = fixtures;
  const namesSent = (plan: Plan, options: Partial<RequestOptions> = {}) =>
    fixtures.toolNamesIn(sentBody(fixtures, plan, options));

  test('sends kept tools in order, the search tool, and loaded tools as they were loaded', () => {
    const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => fixtures.writeTool(name, 'Does.'));
    expect(namesSent(planOf(['a', 'c', 'e'], ['e', 'a']), { tools })).toEqual(['b', 'd', SEARCH, 'e', 'a']);
  });

  test('loads no tool twice, and none that is not deferred', () => {
    const tools = ['a', 'b', 'c'].map((name) => fixtures.writeTool(name, 'Does.'));
    expect(namesSent(planOf(['b'], ['b', 'a', 'b', 'gone']), { tools })).toEqual(['a', 'c', SEARCH, 'b']);
  });

  test('defers and loads two tools of one name together', () => {
    const tools = ['a', 'b', 'a'].map((name) => fixtures.writeTool(name, 'Does.'));
    expect(namesSent(planOf(['a']), { tools })).toEqual(['b', SEARCH]);
    expect(namesSent(planOf(['a'], ['a']), { tools })).toEqual(['b', SEARCH, 'a', 'a']);
  });

  test('never sends an empty list of tools', () => {
    const tools = [fixtures.writeTool('a', 'Does.')];
    expect(namesSent({ ...planOf(['a']), searchTool: undefined }, { tools })).toEqual(['a']);
  });

  test('only adds to what was sent before, over ten turns', () => {
    const names = Array.from({ length: 12 }, (_, index) => `tool_${index}`);
    const tools = names.map((name) => fixtures.writeTool(name, `Does ${name}.`));
    const defer = names.slice(2);
    let before = '';
    for (let turn = 0; turn <= 10; turn += 1) {
      const view = viewOf(format, request(fixtures, { isStream: true, tools }), pathOf(fixtures, true));
      const load = defer.slice(0, turn).reverse().toReversed();
      const text = new TextDecoder().decode(format.editing.editRequest(view, planOf(defer, load), NOTHING));
      const sent = text.slice(
        text.indexOf(`"${fixtures.toolsKey}":`),
        text.indexOf(']', text.lastIndexOf('Does ')),
      );
      expect(sent.startsWith(before)).toBe(true);
      expect(sent).not.toBe(before);
      before = sent;
    }
  });
}

function testReading(fixtures: FormatFixtures): void {
  const { format } = fixtures;
  const read = (text: string | Uint8Array) =>
    format.reading.readRequest(
      new BodyBytes([typeof text === 'string' ? new TextEncoder().encode(text) : text]),
      {
        purpose: 'answer',
        searchToolName: SEARCH,
        path: fixtures.path,
        query: '',
      },
    );

  test.each([
    ['not_json', '{"x":[}'],
    ['not_json', ''],
    ['unknown_shape', '[]'],
    ...fixtures.otherShapes.map((shape) => ['unknown_shape', shape]),
  ])('does not read what is %s: %s', (reason, text) => {
    expect(read(text)).toEqual({ ok: false, reason });
  });

  test('does not read bytes that are no UTF-8', () => {
    expect(read(Uint8Array.of(0x7b, 0xff, 0x7d))).toEqual({ ok: false, reason: 'not_utf8' });
  });

  test('reads tools, each with its own text', () => {
    const tools = ['a', 'b'].map((name) => fixtures.writeTool(name, `Does ${name}.`));
    const view = viewOf(format, request(fixtures, { isStream: true, tools }), pathOf(fixtures, true));
    expect(view.tools).toMatchObject([
      { name: 'a', description: 'Does a.', kind: 'function', isCacheMarked: false },
      { name: 'b', description: 'Does b.', kind: 'function', isCacheMarked: false },
    ]);
    expect(view.tools.map(({ text }) => text)).toEqual(tools);
    expect(view.tools.map(({ span }) => view.toolSection!.text.slice(span.start, span.end))).toEqual(tools);
    expect(view.tools.map(({ definition }) => definition)).toEqual(tools.map((tool) => JSON.parse(tool)));
    expect(view.isStream).toBe(true);
    expect(view.bypass).toBeUndefined();
  });

  test('reads the last user message as the query, the first as the beginning', () => {
    const messages = ['First.', 'Last.'].map(fixtures.writeUserMessage);
    expect(viewOf(format, request(fixtures, { isStream: false, messages }), fixtures.path)).toMatchObject({
      query: 'Last.',
      firstUserText: 'First.',
    });
  });

  test('reads which tools the history calls and has results of', () => {
    const view = viewOf(format, request(fixtures, { isStream: true }), pathOf(fixtures, true));
    const client = fixtures.readStream(
      runExchange(format, view, [fixtures.answers.two_calls], planOf([]), fixtures.framing).text,
    );
    const messages = [fixtures.writeUserMessage('Do both.'), ...fixtures.goOn(client)];
    const next = viewOf(format, request(fixtures, { isStream: true, messages }), pathOf(fixtures, true));
    expect([...next.calledNames]).toEqual(['weather_get', 'mail_send']);
    expect(next.resultNames).toEqual(['weather_get', 'mail_send']);
    expect(next.query).toBe('Do both.');
    expect(next.turns).toMatchObject([{ position: 1, callIds: client.calls.map(({ id }) => id) }]);
  });

  test('leaves a client alone that owns a tool of the search tool’s name', () => {
    const tools = [fixtures.writeTool(SEARCH, 'Mine.'), fixtures.writeTool('a', 'Does.')];
    const view = viewOf(format, request(fixtures, { isStream: true, tools }), pathOf(fixtures, true));
    expect(view.bypass).toBe('name_collision');
  });

  test('leaves a request without tools alone', () => {
    const view = viewOf(format, request(fixtures, { isStream: true, tools: [] }), pathOf(fixtures, true));
    expect(view.bypass).toBe('no_function_tools');
  });
}

function testRounds(fixtures: FormatFixtures): void {
  const { format, answers } = fixtures;

  test.each(format.loading.modes)(
    'appends what the assistant said and was told, and nothing else (%s)',
    (loadMode) => {
      const view = viewOf(format, request(fixtures, { isStream: true }), pathOf(fixtures, true));
      const plan = planOf(['mail_send', 'weather_get'], [], loadMode);
      const { rounds } = runExchange(
        format,
        view,
        [answers.search, answers.two_searches],
        plan,
        fixtures.framing,
      );
      const asked = [0, 1, 2].map((count) => {
        const bytes = format.editing.editRequest(view, plan, {
          hiddenTurns: [],
          rounds: rounds.slice(0, count),
        });
        return JSON.parse(new TextDecoder().decode(bytes));
      });
      const [first, second, third] = asked.map(fixtures.historyIn);
      for (const later of asked) {
        expect(fixtures.withoutHistory(later)).toEqual(fixtures.withoutHistory(asked[0]));
      }
      expect(second!.slice(0, first!.length)).toEqual(first);
      expect(third!.slice(0, second!.length)).toEqual(second);
      expect(second![first!.length]).toEqual(JSON.parse(rounds[0]!.turn.message));
    },
  );

  test.each(format.loading.modes)(
    'forbids another call, and leaves the tools as they are (%s)',
    (loadMode) => {
      const messages = [fixtures.writeUserMessage('Hello.')];
      for (const firstMembers of ['', ...(fixtures.ownChoices ?? [])]) {
        const text = request(fixtures, { isStream: false, messages, firstMembers });
        const view = viewOf(format, text, fixtures.path);
        const plan = planOf(['mail_send', 'weather_get'], [], loadMode);
        const { rounds } = runExchange(format, view, [answers.search], plan, fixtures.framing);
        const over = rounds.map(({ turn, results }) => ({
          turn,
          results: results.map(({ callId }) => ({ callId, kind: 'limit' as const, tools: [] })),
        }));
        const sent = (forbidding: Partial<Plan>) =>
          new TextDecoder().decode(
            format.editing.editRequest(view, { ...plan, ...forbidding } as Plan, {
              hiddenTurns: [],
              rounds: over,
            }),
          );
        const [free, last] = [sent({}), sent({ forbidsCalls: true })];
        const { toolChoice } = viewOf(format, last, fixtures.path);
        expect(toolChoice).toEqual({ mode: fixtures.cannotForbidCalls ? 'auto' : 'none', names: [] });
        if (fixtures.cannotForbidCalls) expect(last).toBe(free);
        expect(fixtures.toolNamesIn(JSON.parse(last))).toEqual(fixtures.toolNamesIn(JSON.parse(free)));
        expect(fixtures.historyIn(JSON.parse(last))).toEqual(fixtures.historyIn(JSON.parse(free)));
        // A search through the provider's own tool is answered with definitions, which hold no text.
        if (loadMode !== 'native') expect(last).toContain('No further searches are possible.');
      }
    },
  );

  test('answers every search, and tells what was found', () => {
    const view = viewOf(format, request(fixtures, { isStream: true }), pathOf(fixtures, true));
    const { rounds } = runExchange(
      format,
      view,
      [answers.two_searches],
      planOf(['mail_send']),
      fixtures.framing,
    );
    const text = new TextDecoder().decode(
      format.editing.editRequest(view, planOf(['mail_send']), { hiddenTurns: [], rounds }),
    );
    const { searches } = rounds[0]!.turn;
    // Each id occurs once in the call and once in its result. A made-up id never occurs.
    const occurrences = fixtures.hasNoCallIds ? 1 : 3;
    for (const { id } of searches) expect(text.split(JSON.stringify(id)).length).toBe(occurrences);
    // Found tools have the request's own descriptions, and undeclared ones are left out.
    expect(text.split('No tool matches this search').length).toBe(1 + searches.length);
  });
}

function request(fixtures: FormatFixtures, options: Partial<RequestOptions> & { isStream: boolean }): string {
  const tools = ['weather_get', 'mail_send', 'file_read'].map((name) => fixtures.writeTool(name, 'Does.'));
  return fixtures.writeRequest({ tools, messages: [fixtures.writeUserMessage('Hello.')], ...options });
}

function sentBody(
  fixtures: FormatFixtures,
  plan: Plan,
  options: Partial<RequestOptions>,
): Record<string, unknown> {
  const { format, path } = fixtures;
  const view = viewOf(format, request(fixtures, { isStream: false, ...options }), path);
  return JSON.parse(new TextDecoder().decode(format.editing.editRequest(view, plan, NOTHING)));
}
