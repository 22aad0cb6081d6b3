import { describe, expect, test } from 'vitest';
import { anthropicBedrock } from '../../../src/anthropic-messages/anthropic-bedrock.ts';
import { loadsNatively } from '../../../src/format/load-rules.ts';
import { awsEventStream } from '../../../src/framing/aws-event-stream.ts';
import type { WireEvent } from '../../../src/framing/framing.ts';
import { testFormatContract } from '../../format-contract.ts';
import { SEARCH } from '../../format-fixtures.ts';
import { bytesOf, decodeAll } from '../../frames.ts';
import { planOf, viewOf } from '../../run-exchange.ts';
import { invocationFixtures, METRICS, readData, writeData } from './invocation-fixtures.ts';

testFormatContract(invocationFixtures);

const { answers, streamPath, path } = invocationFixtures;
const request = (more = '') =>
  invocationFixtures.writeRequest({
    isStream: true,
    tools: ['a', 'b'].map((name) => invocationFixtures.writeTool(name, 'Does.')),
    firstMembers: more,
  });
const view = (isStream = true, more = '') =>
  viewOf(anthropicBedrock, request(more), isStream ? streamPath : path);
const eventsOf = (name: keyof typeof answers) =>
  decodeAll(awsEventStream, [bytesOf(awsEventStream, answers[name].stream)]);

function join(rounds: readonly (readonly WireEvent[])[]) {
  const joiner = anthropicBedrock.joining.joinResponses(view(), planOf(['a']));
  const sent = rounds.flatMap((events) => {
    const given = events.flatMap((event) => joiner.feed(event));
    joiner.endRound();
    return given;
  });
  return { joiner, sent: [...sent, ...joiner.finish()] };
}

const sayingOf = (events: readonly WireEvent[]) =>
  events.map((event) => (event.kind === 'event' ? JSON.parse(readData(event.data)) : event));

describe('a stream', () => {
  test('has the metrics of all rounds, the input of the last and the output of all', () => {
    const last = sayingOf(join([eventsOf('search'), eventsOf('call')]).sent).at(-1);
    const both = { outputTokenCount: 14, invocationLatency: 1800, firstByteLatency: 300 };
    expect(last['amazon-bedrock-invocationMetrics']).toEqual({ ...METRICS, ...both });
  });

  test('passes on an unknown frame, but none that names the search tool, however it is written', () => {
    const unknown: WireEvent = { kind: 'event', name: 'news', data: '{"x":1}' };
    const hidden: WireEvent = {
      kind: 'event',
      name: 'chunk',
      data: writeData(`{"a":${'['.repeat(2000)}"${SEARCH}"`),
    };
    const joiner = anthropicBedrock.joining.joinResponses(view(), planOf(['a']));
    expect(joiner.feed(unknown)).toEqual([unknown]);
    expect(joiner.hasShown).toBe(true);
    expect(joiner.feed(hidden)).toEqual([]);
  });

  test('is kept alive by a ping in a frame', () => {
    expect(sayingOf([anthropicBedrock.heartbeat!])).toEqual([{ type: 'ping' }]);
  });

  test('words a refusal of a later round like the service', () => {
    const joiner = anthropicBedrock.joining.joinResponses(view(), planOf(['a']));
    for (const event of eventsOf('search')) joiner.feed(event);
    joiner.endRound();
    const refusal = { status: 429, body: '{"message":"Too many tokens."}' };
    expect(joiner.fail({ kind: 'failed', reason: 'interrupted', message: '', refusal })).toMatchObject([
      { name: 'throttlingException', isError: true, data: '{"message":"Too many tokens."}' },
    ]);
  });
});

describe('a request', () => {
  const sent = (loadMode: 'swap' | 'native', more = '') => {
    const plan = { ...planOf(['a']), loadMode };
    const bytes = anthropicBedrock.editing.editRequest(view(true, more), plan, {
      hiddenTurns: [],
      rounds: [],
    });
    return JSON.parse(Buffer.from(bytes).toString());
  };

  test.each([
    ['', ['tool-search-tool-2025-10-19']],
    ['"anthropic_beta":[],', ['tool-search-tool-2025-10-19']],
    ['"anthropic_beta":["context-1m"],', ['context-1m', 'tool-search-tool-2025-10-19']],
    ['"anthropic_beta":["tool-search-tool-2025-10-19"],', ['tool-search-tool-2025-10-19']],
  ])('has the beta of deferred tools in its body: %s', (more, betas) => {
    expect(sent('native', more).anthropic_beta).toEqual(betas);
    expect(sent('native', more).tools[0]).toMatchObject({ name: 'a', defer_loading: true });
    expect(sent('swap').anthropic_beta).toBeUndefined();
  });

  test('of another model is left alone', () => {
    const text = request().replace('"anthropic_version":"bedrock-2023-05-31",', '');
    expect(() => viewOf(anthropicBedrock, text, path)).toThrow('unknown_shape');
  });

  test('has its model and its stream flag in the path', () => {
    expect(view()).toMatchObject({ model: 'eu.anthropic.claude-opus-4-6-v1:0', isStream: true });
    expect(view(false)).toMatchObject({ isStream: false });
    expect(anthropicBedrock.loading.modes).toEqual(['native', 'bridge', 'swap']);
    expect(loadsNatively(anthropicBedrock.loading, view().model)).toBe(true);
  });
});
