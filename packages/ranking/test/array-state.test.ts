import { expect, test } from 'vitest';
import { ArrayState } from '../src/bm25/array-state.ts';

test.each([1, 2, 3])('states of an array stay as they were, however they branch, seed %i', (seed) => {
  let state = seed;
  const below = (bound: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
  const states = [{ known: new ArrayState(Uint32Array.of(1, 2, 3)), model: [1, 2, 3] }];
  for (let round = 0; round < 200; round += 1) {
    // Mostly of the newest one.
    const from = states[below(4) === 0 ? below(states.length) : states.length - 1]!;
    const model = [...from.model];
    const [known, set] = from.known.next(model.length + below(3));
    for (let change = below(4); change > 0; change -= 1) {
      const place = below(known.array.length);
      while (model.length <= place) model.push(0);
      model[place] = below(1_000);
      set(place, model[place]!);
    }
    states.push({ known, model });
    const asked = states[below(states.length)]!;
    expect([...asked.known.array].slice(0, asked.model.length)).toEqual(asked.model);
  }
  for (const { known, model } of states) {
    expect([...known.array].slice(0, model.length)).toEqual(model);
    expect([...known.array].slice(model.length).every((number) => number === 0)).toBe(true);
  }
});

test('the newest state is not copied', () => {
  const first = new ArrayState(new Uint8Array(8));
  const { array } = first;
  const [second, set] = first.next(8);
  set(3, 7);
  expect(second.array).toBe(array);
  expect(first.array).not.toBe(array);
  expect(first.array[3]).toBe(0);
});
