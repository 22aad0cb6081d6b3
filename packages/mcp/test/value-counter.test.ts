import { countJsonValues } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { ValueCounter } from '../src/servers/bounded-fetch.ts';

describe('the values of a text', () => {
  test.each(['[]', '{"a":[1,2,{"b":"c,d"}]}', '["\\"[,","\\\\",{}]', '"ä,ö"', '', '[1,[2,[3]]]'])(
    'of %s are counted as those of a whole one, wherever it is cut',
    (text) => {
      const bytes = Buffer.from(text);
      for (let cut = 0; cut <= bytes.length; cut++) {
        const counter = new ValueCounter();
        counter.read(bytes.subarray(0, cut));
        counter.read(bytes.subarray(cut));
        expect(counter.count).toBe(countJsonValues(bytes));
      }
    },
  );

  test('begin again with another text, whatever the one before ended with', () => {
    const counter = new ValueCounter();
    counter.read(Buffer.from('["open\\'));
    counter.begin();
    counter.read(Buffer.from('[1,2]'));
    expect(counter.count).toBe(2);
  });
});
