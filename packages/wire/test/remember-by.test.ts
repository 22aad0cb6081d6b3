import { expect, test } from 'vitest';
import { rememberBy } from '../src/remember-by.ts';

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
