import type { RelevanceSet } from './relevance-set.ts';

/** Names in every style of writing, asked for in another style, in part, or in plain words. */
export const identifiers: RelevanceSet = {
  title: 'identifiers',
  tools: [
    { name: 'getUserById', description: 'Return one user.' },
    { name: 'list_users', description: 'Return all users, page by page.' },
    { name: 'users.deactivate', description: 'Block an account from signing in.' },
    { name: 'parseHTTPResponse', description: 'Split a raw response into status, headers and body.' },
    { name: 'send-sms-message', description: 'Send a text to a phone.' },
    { name: 'XMLToJSONConverter', description: 'Turn one document format into another.' },
    { name: 'base64_decode', description: 'Recover bytes from their printable form.' },
    { name: 'oauth2RefreshToken', description: 'Renew an expired session.' },
    { name: 'io.k8s.api.createNamespace', description: 'Add a namespace to the cluster.' },
    { name: 'file_system/readTextFile', description: 'Return the contents of a file.' },
    { name: 'sha256Sum', description: 'Fingerprint of a file.' },
    {
      name: 'upsert_row',
      description: 'Write to a table.',
      definition: {
        parameters: {
          type: 'object',
          properties: { onConflictDoNothing: { type: 'boolean' }, primary_key: { type: 'string' } },
        },
      },
    },
  ],
  queries: [
    {
      query: 'get_user_by_id',
      gold: 'getUserById',
      why: 'snake_case for camelCase; by is a stop word in prose',
    },
    { query: 'listUsers', gold: 'list_users', why: 'camelCase for snake_case' },
    { query: 'deactivate user', gold: 'users.deactivate', why: 'singular for the plural in a dotted name' },
    {
      query: 'parse http response',
      gold: 'parseHTTPResponse',
      why: 'an acronym ends where the next hump begins',
    },
    {
      query: 'sms',
      gold: 'send-sms-message',
      why: 'one part of a dashed name, which the description does not repeat',
    },
    {
      query: 'convert xml to json',
      gold: 'XMLToJSONConverter',
      why: 'two acronyms in one name; convert shares its stem with converter',
    },
    { query: 'decode base64', gold: 'base64_decode', why: 'letters and digits are one word' },
    { query: 'base 64', gold: 'base64_decode', why: 'letters and digits written apart' },
    { query: 'refresh oauth token', gold: 'oauth2RefreshToken', why: 'the version digit is left out' },
    {
      query: 'create namespace',
      gold: 'io.k8s.api.createNamespace',
      why: 'the last part of a long dotted path',
    },
    {
      query: 'read_text_file',
      gold: 'file_system/readTextFile',
      why: 'snake_case for camelCase behind a path',
    },
    { query: 'sha256', gold: 'sha256Sum', why: 'a part that ends in digits' },
    {
      query: 'on conflict do nothing',
      gold: 'upsert_row',
      why: 'words of a camelCase parameter name, most of them stop words',
    },
  ],
};
