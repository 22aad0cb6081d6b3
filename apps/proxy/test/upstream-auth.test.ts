import { vendorNamed } from '@winnow/wire';
import { expect, it } from 'vitest';
import type { UpstreamSettings } from '../src/config/config.ts';
import { readAuth } from '../src/upstream/upstream-auth.ts';

const settings: UpstreamSettings = {
  base_url: '',
  format: 'openai',
  api_key: 'own',
  'auth.kind': 'auto',
  'auth.name': '',
  'auth.region': '',
  'auth.service': '',
  'auth.access_key_id': '',
  'auth.secret_access_key': '',
  'auth.session_token': '',

  load: 'auto',
  polyfill: 'off',
  enabled: true,
  'retry.attempts': 0,
  idle_timeout: 1,
};
const OPENAI = 'https://api.openai.com';

it("forwards the client's credential without a key", () => {
  expect(readAuth({ ...settings, api_key: '' }, vendorNamed('openai'), OPENAI)).toEqual({ kind: 'forward' });
});

it.each([
  ['openai', OPENAI, 'authorization', 'Bearer own'],
  ['openai', 'https://one.openai.azure.com', 'api-key', 'own'],
  ['anthropic', 'https://api.anthropic.com', 'x-api-key', 'own'],
  ['anthropic', 'https://bedrock-mantle.us-east-1.api.aws', 'authorization', 'Bearer own'],
  ['gemini', 'https://generativelanguage.googleapis.com', 'x-goog-api-key', 'own'],
  ['ollama', 'https://ollama.com', 'authorization', 'Bearer own'],
] as const)('sends a key to %s at %s in %s', (vendor, origin, name, value) => {
  expect(readAuth(settings, vendorNamed(vendor), origin)).toEqual({ kind: 'header', name, value });
});

it.each([
  [{ 'auth.kind': 'bearer' }, { kind: 'header', name: 'authorization', value: 'Bearer own' }],
  [
    { 'auth.kind': 'header', 'auth.name': 'X-Gateway-Key' },
    { kind: 'header', name: 'x-gateway-key', value: 'own' },
  ],
  [{ 'auth.kind': 'query' }, { kind: 'query', name: 'key', value: 'own' }],
  [
    { 'auth.kind': 'query', 'auth.name': 'code' },
    { kind: 'query', name: 'code', value: 'own' },
  ],
] as const)('sends it as configured: %o', (told, expected) => {
  expect(readAuth({ ...settings, ...told }, vendorNamed('gemini'), 'https://g.example')).toEqual(expected);
});
