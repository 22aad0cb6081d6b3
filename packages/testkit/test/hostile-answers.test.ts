import { describe, expect, test } from 'vitest';
import { ANSWER_SHAPES, goodEvents, grammarOf } from '../src/hostile/answer-shapes.ts';
import { generateHostileAnswer } from '../src/hostile/generate-hostile-answer.ts';
import { createRandom } from '../src/random.ts';

const inputOf = (shape: (typeof ANSWER_SHAPES)[number]) => ({
  random: createRandom(1),
  shape,
  size: 1_000,
  searchToolName: 'find',
});

describe.each(ANSWER_SHAPES)('hostile answers of %s', (shape) => {
  test('have a good answer, calls and a call of the search tool that are JSON', () => {
    const { good, call, more, wholeCall } = grammarOf({ shape });
    const calls = call({ index: 0, name: 'find', text: '{"query":"x"}' });
    for (const data of [...good, ...calls, more, wholeCall('find')]) {
      if (data !== '[DONE]') expect(() => JSON.parse(data), data).not.toThrow();
    }
    expect(calls.join('')).toContain('"find"');
  });

  test('are the same for the same seed', () => {
    const write = () => {
      const { kind, pieces } = generateHostileAnswer(createRandom(7), { ...inputOf(shape), isStream: false });
      return [kind, Buffer.concat([...pieces]).toString('hex')];
    };
    expect(write()).toEqual(write());
  });
});

test("a stream of Gemini's without alt=sse is one JSON array", () => {
  const array = JSON.parse(goodEvents(inputOf('gemini-array')).join('')) as object[];
  expect(array.at(-1)).toHaveProperty('usageMetadata');
});
