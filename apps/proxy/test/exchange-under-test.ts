import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { SILENT_SPAN } from '@winnow/service';
import { FORMATS, matchRoute, vendorNamed } from '@winnow/wire';
import { NodeRequest, NodeResponse } from '../src/edge/node-http.ts';
import { type FormatExchange, HeadWriter } from '../src/exchange/exchange.ts';
import type { ExchangeFact } from '../src/records/exchange-fact.ts';
import { ClientIdentity, originOf } from '../src/sessions/client-identity.ts';
import { KeyedHash } from '../src/sessions/keyed-hash.ts';
import { ClientSignal } from '../src/upstream/client.ts';
import type { UpstreamResponse } from '../src/upstream/send-upstream.ts';
import { UpstreamBody } from '../src/upstream/upstream-body.ts';

/** A request in a format, without a connection: the test can read the response. */
export function exchangeUnderTest(path: '/v1/messages' | '/v1/chat/completions', headers: string[] = []) {
  const written: string[] = [];
  const connection = new Duplex({
    read() {},
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  }) as Socket;
  const incoming = new IncomingMessage(connection);
  incoming.method = 'POST';
  incoming.rawHeaders = headers;
  const outgoing = new ServerResponse(incoming);
  outgoing.assignSocket(connection);
  // Like Node's server.
  outgoing.once('finish', () => outgoing.emit('close'));
  const signal = new ClientSignal();
  const facts: ExchangeFact[] = [];
  const vendor = vendorNamed(path === '/v1/messages' ? 'anthropic' : 'openai');
  const upstream = {
    name: 'up',
    vendor,
    origin: 'http://up',
    basePath: '',
    auth: { kind: 'forward' },
    load: 'swap',
    retryAttempts: 0,
    idleTimeoutMs: 0,
  } as const;
  const request = new NodeRequest(incoming, signal);
  const response = new NodeResponse(outgoing, signal);
  const target = { upstream, clientPath: path, query: '', path };
  const exchange: FormatExchange = {
    request,
    response,
    head: new HeadWriter(response, 'exchange-1'),
    target,
    identity: new ClientIdentity(() => originOf(request, target, []), new KeyedHash('secret', 'test')),
    signal,
    span: SILENT_SPAN,
    format: FORMATS.find((format) => matchRoute(format.reading, 'POST', path) === 'answer')!,
    purpose: 'answer',
  };
  return {
    exchange,
    signal,
    facts,
    tell: (fact: ExchangeFact) => facts.push(fact),
    kinds: () => facts.map(({ kind }) => kind),
    /** Returns the whole response, including the head. */
    received: () => written.join(''),
  };
}

/** A response of an upstream, and whether it was discarded before its end. */
export function responseOf(
  status: number,
  body: string | object,
  {
    isWhole = true,
    type = 'application/json',
    headers = [],
  }: { isWhole?: boolean; type?: string; headers?: readonly string[] } = {},
): UpstreamResponse & { readonly isLetGo: () => boolean } {
  let isLetGo = false;
  const bytes = new UpstreamBody({
    pause() {},
    resume() {},
    abort() {
      isLetGo = true;
    },
  });
  bytes.push(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  if (isWhole) bytes.finish();
  return { status, headers: ['content-type', type, ...headers], body: bytes, isLetGo: () => isLetGo };
}
