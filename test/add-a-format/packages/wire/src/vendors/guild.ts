import type { Vendor } from './vendor.ts';

/** An invented vendor with its own kinds of errors, keys and paths. */
export const guild = {
  name: 'guild',
  title: 'Guild',
  baseUrl: 'https://api.guild.example',
  clientBasePath: '/parley',
  ownPaths: ['/parley'],
  ownHeaders: ['x-guild-edition'],
  credentialHeaders: ['x-guild-pass'],
  writeCredential: (apiKey) => ['x-guild-pass', apiKey],
  errorBody: ({ code = 'trouble', message }) => JSON.stringify({ trouble: { kind: code, what: message } }),
  origins: ['https://api.guild.example'],
  rejections: [400],
  thinkingRefusal: undefined,
} as const satisfies Vendor;
