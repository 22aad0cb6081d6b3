import { describe, expect, test } from 'vitest';
import { playRecording } from '../src/recordings/play-recording.ts';
import { type Recording, readRecordings } from '../src/recordings/read-recordings.ts';

const { WINNOW_RECORDINGS: folder } = process.env;
describe('recorded responses, with a search tool in the request', { tags: ['recordings'] }, () => {
  const recordings = folder === undefined ? [] : readRecordings(folder);

  test('are there, of every format, whole and streamed', () => {
    const kinds = new Set(recordings.map(({ format, isStream }) => `${format} ${isStream}`));
    expect(kinds.size).toBe(12);
  });

  test.each(recordings)(
    'reach the client unchanged, or with a repair that has a name: $name',
    (recording) => {
      expect(playRecording(recording).kind).not.toBe('changed');
    },
  );
});

describe('playing a response', () => {
  const stream = (...chunks: object[]): Recording => ({
    name: 'x',
    format: 'openai-chat',
    isStream: true,
    data: [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'],
  });
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason }],
  });

  test('reports a response that is passed on byte for byte as untouched', () => {
    expect(playRecording(stream(chunk({ content: 'Hi.' }), chunk({}, 'stop')))).toEqual({
      kind: 'untouched',
    });
  });

  test('names the repairs of a response', () => {
    const call = { id: 'a', function: { name: 'weather', arguments: '{"a":"}\\"{"}' } };
    const recording = stream(chunk({ tool_calls: [call, { ...call, id: 'b' }] }, 'tool_calls'));
    expect(playRecording(recording)).toEqual({ kind: 'repaired', repairs: ['calls are numbered'] });
  });

  test('reports a response with a missing part as changed', () => {
    const search = {
      index: 0,
      id: 'a',
      function: { name: 'gateway_search_tools', arguments: '{"query":"x"}' },
    };
    const recording = stream(chunk({ content: 'Hi.' }), chunk({ tool_calls: [search] }), chunk({}, 'stop'));
    expect(playRecording(recording)).toMatchObject({ kind: 'changed', event: 1 });
  });
});
