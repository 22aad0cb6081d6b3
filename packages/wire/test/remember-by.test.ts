import { expect, test } from 'vitest';
import { LatestResults, rememberBy, rememberOn } from '../src/remember-by.ts';

const counted = () => {
  let calls = 0;
  const measure = rememberBy((subject: { id: string }, names: readonly string[], mode?: string) => {
    calls += 1;
    return [subject.id, ...names, mode].join();
  });
  return { measure, calls: () => calls };
};

test('makes once what is asked for again with the same names, in whatever list they stand', () => {
  const { measure, calls } = counted();
  const subject = { id: 's' };
  expect(measure(subject, ['a', 'b'], 'x')).toBe('s,a,b,x');
  expect(measure(subject, ['a', 'b'], 'x')).toBe('s,a,b,x');
  expect(calls()).toBe(1);
});

test.each<[string, readonly string[], string | undefined]>([
  ['another name', ['a', 'c'], 'x'],
  ['a name more', ['a', 'b', 'c'], 'x'],
  ['a name less', ['a'], 'x'],
  ['another order', ['b', 'a'], 'x'],
  ['another value', ['a', 'b'], 'y'],
  ['no value', ['a', 'b'], undefined],
])('makes anew what is asked for with %s', (_, names, mode) => {
  const { measure } = counted();
  const subject = { id: 's' };
  measure(subject, ['a', 'b'], 'x');
  expect(measure(subject, names, mode)).toBe(['s', ...names, mode].join());
});

test('keeps subjects apart that are equal', () => {
  const { measure, calls } = counted();
  measure({ id: 's' }, []);
  measure({ id: 's' }, []);
  expect(calls()).toBe(2);
});

test('does not take lists of other things for the same', () => {
  const { measure, calls } = counted();
  const subject = { id: 's' };
  const names = [{} as string];
  measure(subject, names);
  measure(subject, [{} as string]);
  expect(calls()).toBe(2);
});

test('remembers on an object, and anew for a copy of it', () => {
  let calls = 0;
  const measure = rememberOn((subject: { id: string }, names: readonly string[]) => {
    calls += 1;
    return [subject.id, ...names].join();
  });
  const subject = { id: 's' };
  expect([measure(subject, ['a']), measure(subject, ['a'])]).toEqual(['s,a', 's,a']);
  expect(measure({ ...subject, id: 't' }, ['a'])).toBe('t,a');
  expect([measure(subject, ['a']), calls]).toEqual(['s,a', 2]);
  expect([measure(subject, ['b']), calls]).toEqual(['s,b', 3]);
});

test('remembers the latest results alone', () => {
  const results = new LatestResults<number>(2);
  let made = 0;
  const of = (key: string) => results.of(key, () => ++made);
  expect(['a', 'b', 'a', 'c', 'b', 'a'].map(of)).toEqual([1, 2, 1, 3, 2, 4]);
});
