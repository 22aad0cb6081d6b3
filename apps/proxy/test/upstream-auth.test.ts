import { vendorNamed } from '@winnow/wire';
import { expect, it } from 'vitest';
import type { UpstreamSettings } from '../src/config/config.ts';
import { readAuth } from '../src/upstream/upstream-auth.ts';

const settings: UpstreamSettings = {
  base_url: '',
  format: 'openai',
  api_key: 'own',
  auth: { kind: 'auto', name: '' },

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
  [
    { kind: 'bearer', name: '' },
    { kind: 'header', name: 'authorization', value: 'Bearer own' },
  ],
  [
    { kind: 'header', name: 'X-Gateway-Key' },
    { kind: 'header', name: 'x-gateway-key', value: 'own' },
  ],
  [
    { kind: 'query', name: 'code' },
    { kind: 'query', name: 'code', value: 'own' },
  ],
] as const)('sends it as configured: %o', (auth, expected) => {
  expect(readAuth({ ...settings, auth }, vendorNamed('gemini'), 'https://g.example')).toEqual(expected);
});

it('signs for the region and service of the setting, else of the address, else of the environment', async () => {
  const key = { accessKeyId: 'AK', secretAccessKey: 'secret' };
  const aws = { region: 'eu-west-1', credentials: key, chain: async () => undefined };
  const signing = (name: string, origin: string) =>
    readAuth({ api_key: '', auth: { kind: 'sigv4', name } }, vendorNamed('bedrock'), origin, aws);
  const gateway = 'https://gateway.example';
  expect(signing('', gateway)).toMatchObject({ region: 'eu-west-1', service: 'bedrock' });
  expect(signing('', 'https://bedrock-mantle.us-west-2.api.aws')).toMatchObject({
    region: 'us-west-2',
    service: 'bedrock-mantle',
  });
  expect(signing('us-east-1', gateway)).toMatchObject({ region: 'us-east-1', service: 'bedrock' });
  const auth = signing('us-east-1/bedrock-mantle', gateway);
  expect(auth).toMatchObject({ region: 'us-east-1', service: 'bedrock-mantle' });
  expect(auth.kind === 'sigv4' && (await auth.credentials())).toEqual(key);
});
