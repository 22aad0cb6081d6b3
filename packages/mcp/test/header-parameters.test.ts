import type { JsonObject } from '@winnow/registry';
import { expect, test } from 'vitest';
import { readHeaderParameters, writeHeaderParameters } from '../src/servers/take-over-list.ts';

const property = (parts: JsonObject, name = 'region'): JsonObject => ({
  type: 'object',
  properties: { [name]: parts },
});
const header = (parts: JsonObject = {}): JsonObject => ({
  type: 'string',
  'x-mcp-header': 'Region',
  ...parts,
});

test('R52: parameters that are sent as headers are found at any depth', () => {
  const schema = {
    type: 'object',
    properties: { a: property(header()), b: header({ 'x-mcp-header': 'Other', type: 'integer' }) },
  };
  expect(readHeaderParameters(schema)).toEqual({
    ok: true,
    parameters: [
      { path: ['a', 'region'], header: 'Region' },
      { path: ['b'], header: 'Other' },
    ],
  });
  expect(readHeaderParameters({ type: 'object', properties: { properties: { type: 'string' } } })).toEqual({
    ok: true,
    parameters: [],
  });
  // Data is not a schema.
  const data = {
    type: 'object',
    properties: { a: { default: { 'x-mcp-header': '' }, enum: [{ 'x-mcp-header': 1 }] } },
  };
  expect(readHeaderParameters(data)).toEqual({ ok: true, parameters: [] });
});

test.each<[string, JsonObject]>([
  ['is empty', property(header({ 'x-mcp-header': '' }))],
  ['is no text', property(header({ 'x-mcp-header': 7 }))],
  ['has a space', property(header({ 'x-mcp-header': 'My Region' }))],
  ['would end the header', property(header({ 'x-mcp-header': 'a\r\nb' }))],
  ['stands at a number', property(header({ type: 'number' }))],
  ['stands at an object', property(header({ type: 'object' }))],
  ['stands at no type', property({ 'x-mcp-header': 'Region' })],
  ['stands at two types', property(header({ type: ['string', 'null'] }))],
  ['stands at the root', { ...header(), type: 'object' }],
  ['stands in the items of a list', property({ type: 'array', items: header() })],
  ['stands in one of several schemas', property({ anyOf: [header()] })],
  ['stands in definitions', { type: 'object', $defs: { a: header() } }],
  ['stands below other properties', { type: 'object', additionalProperties: property(header()) }],
  [
    'names one header twice',
    { type: 'object', properties: { a: header(), b: header({ 'x-mcp-header': 'rEGION' }) } },
  ],
])('R52: a tool is left out whose x-mcp-header %s', (_, schema) => {
  expect(readHeaderParameters(schema)).toEqual({
    ok: false,
    reason: expect.stringContaining('x-mcp-header'),
  });
});

test('R52: a call sends what it has, in a form that headers can carry', () => {
  const schema = {
    type: 'object',
    properties: { region: header(), n: header({ 'x-mcp-header': 'N', type: 'integer' }) },
  };
  const read = readHeaderParameters(schema);
  if (!read.ok) throw new Error(read.reason);
  const written = (args: Record<string, unknown>) => writeHeaderParameters(read.parameters, args);
  expect(written({ region: 'eu-west', n: 3 })).toEqual({ 'Mcp-Param-Region': 'eu-west', 'Mcp-Param-N': '3' });
  expect(written({ region: null })).toEqual({});
  expect(written({ region: { a: 1 }, n: 1.5 })).toEqual({});
  const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  for (const text of ['Köln', ' padded', 'a\r\nb', '', '=?base64?abc?=']) {
    expect(written({ region: text })).toEqual({ 'Mcp-Param-Region': encoded(text) });
  }
});
