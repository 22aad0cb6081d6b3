import { describe, inject } from 'vitest';
import { jsonArray } from '../../src/framing/json-array.ts';
import { sse } from '../../src/framing/sse.ts';
import { testFormatContract } from '../format-contract.ts';
import { geminiFixtures } from './gemini-fixtures.ts';

describe.each([
  ...(inject('isExhaustive') ? [{ name: 'server-sent events', framing: sse, hasIds: false }] : []),
  { name: 'server-sent events, with ids', framing: sse, hasIds: true },
  { name: 'JSON arrays', framing: jsonArray, hasIds: false },
])('$name', (server) => {
  testFormatContract(geminiFixtures(server));
});
