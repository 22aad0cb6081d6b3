import { FORMATS } from '@winnow/wire';
import { expect, test } from 'vitest';
import { noteKeys } from '../src/sessions/notes.ts';
import { viewOf } from './request-view.ts';

const format = FORMATS.find(({ name }) => name === 'anthropic-messages')!;
const keysOf = (scope: { hasCredential: boolean; keepsOpenings: boolean }) =>
  noteKeys(viewOf({ tools: ['alpha'] }), { format, ...scope });

test('an opening has keys for a verdict only with a credential, and where every conversation stores one', () => {
  const openings = [true, false].flatMap((hasCredential) =>
    [true, false].map((keepsOpenings) => keysOf({ hasCredential, keepsOpenings }).verdicts[0]!.length),
  );
  expect(openings).toEqual([1, 0, 0, 0]);
});
