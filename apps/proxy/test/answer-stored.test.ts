import { SILENT_SPAN } from '@winnow/service';
import { expect, test } from 'vitest';
import { answerStored, type StoredContext, type StoredExchange } from '../src/exchange/stored-responses.ts';
import { findStored } from '../src/reading/read-exchange.ts';
import { responseNoteKey, writeKnownResponse } from '../src/sessions/notes.ts';
import { ClientSignal } from '../src/upstream/client.ts';

const PATH = '/v1/responses/resp_1';
const route = findStored('GET', { path: PATH, query: '' })!;

/** Reads a stored response that consists of two, of which the provider returns `text` for the last. */
async function read(text: string) {
  const alias = { id: 'resp_1', rounds: ['resp_1', 'resp_2'], names: [], results: [] };
  const known = writeKnownResponse({
    alias,
    verdict: { mode: 'swap', dropsThinking: false },
    session: 's',
    kept: [],
  });
  const asked: string[] = [];
  const shown: (number | string)[] = [];
  const upstream = { name: 'openai', origin: 'https://up', basePath: '', auth: { kind: 'forward' } };
  const exchange = {
    ...route,
    identity: { tenant: 't' },
    request: { method: 'GET', rawHeaders: [], body: (async function* () {})() },
    target: { upstream, path: PATH, clientPath: PATH, query: '' },
    signal: new ClientSignal(),
    span: SILENT_SPAN,
    head: { write: (status: number) => shown.push(status) },
    response: { end: (body: Buffer) => shown.push(body.toString()) },
  } as unknown as StoredExchange;
  const context = {
    settings: { 'tools.api.timeout': 1, 'tools.search_tool_name': 'search' },
    sessions: { read: async () => new Map([[responseNoteKey('resp_1', route.format), known]]) },
    pendingWork: { settled: async () => {} },
    effects: { every: () => () => {} },
    send: async (request: { readonly path: string }) => {
      asked.push(request.path);
      const body = Object.assign(
        (async function* () {
          yield Buffer.from(text);
        })(),
        { destroy() {} },
      );
      return { status: 200, headers: ['content-type', 'application/json'], body };
    },
  } as unknown as StoredContext;
  await answerStored(exchange, context);
  return { asked, shown };
}

test('a stored response is read by the last id of its rounds, and shown by the first', async () => {
  const { asked, shown } = await read('{"id":"resp_2","object":"response","output":[]}');
  expect(asked).toEqual(['/v1/responses/resp_2']);
  expect(shown).toEqual([200, expect.stringContaining('"id":"resp_1"')]);
});

test('a stored response that is too large to rewrite is refused, and not cut', async () => {
  const text = `{"id":"resp_2","object":"response","output":[],"text":"${'x'.repeat(32 * 2 ** 20)}"}`;
  await expect(read(text)).rejects.toMatchObject({ code: 'upstream_unreachable' });
});
