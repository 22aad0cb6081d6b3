import { expect, test } from 'vitest';
import { readTraceHeaders } from '../../src/tracing/span.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const VALID = `00-${TRACE}-${SPAN}-01`;

test('a valid trace is read unchanged', () => {
  const headers = { traceparent: VALID, tracestate: 'vendor=1,other=a b' };
  expect(readTraceHeaders(headers)).toEqual(headers);
});

test('a version of the future may have more parts', () => {
  const traceparent = `01-${TRACE}-${SPAN}-01-more`;
  expect(readTraceHeaders({ traceparent })).toEqual({ traceparent });
});

test.each([
  undefined,
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  VALID.toUpperCase(),
  `${VALID}, ${VALID}`,
  `01-${TRACE}-${SPAN}-01-ü`,
])('%j is no trace', (traceparent) => {
  expect(readTraceHeaders({ traceparent, tracestate: 'vendor=1' })).toEqual({});
});

test.each(['', 'vendor=ü', 'v='.padEnd(513, 'x')])(
  'the trace continues without the state %j',
  (tracestate) => {
    expect(readTraceHeaders({ traceparent: VALID, tracestate })).toEqual({ traceparent: VALID });
  },
);
