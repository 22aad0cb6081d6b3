import { addedHeaders, BodyBytes, type Plan } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { ExchangeSender } from '../src/exchange/exchange-sender.ts';
import { headerValue } from '../src/upstream/headers.ts';
import type { UpstreamRequest } from '../src/upstream/send-upstream.ts';
import { exchangeUnderTest, responseOf } from './exchange-under-test.ts';
import { viewOf } from './request-view.ts';

const plan: Plan = { loadMode: 'native', defer: ['a'], load: [], searchTool: undefined, reason: 'deferred' };

/** A sender for a request with these headers, and the requests that it sends. */
function senderFor(headers: string[], send?: () => never) {
  const under = exchangeUnderTest('/v1/messages', headers);
  const sent: UpstreamRequest[] = [];
  const sender = new ExchangeSender({
    exchange: under.exchange,
    tell: under.tell,
    send: async (request) => {
      sent.push(request);
      return send?.() ?? responseOf(200, 'fine');
    },
  });
  return { ...under, sender, sent };
}

const view = viewOf({ tools: ['a'] });
const BYTES = Buffer.from('{}');
const BODY = new BodyBytes([BYTES]);

describe('the sender of an exchange', () => {
  test('reports every request when it begins, including one that fails', async () => {
    const { sender, kinds } = senderFor([]);
    await sender.sendEdited(BYTES, view, plan);
    await sender.sendOriginal(BODY);
    expect(kinds()).toEqual(['sent', 'sent']);
    const failing = senderFor([], () => {
      throw new Error('connection refused');
    });
    await expect(failing.sender.sendOriginal(BODY)).rejects.toMatchObject({ code: 'upstream_unreachable' });
    expect(failing.kinds()).toEqual(['sent']);
  });

  test('sends no two requests with the same idempotency key', async () => {
    const { sender, sent } = senderFor(['idempotency-key', 'k']);
    await sender.sendEdited(BYTES, view, plan);
    await sender.sendEdited(BYTES, view, plan);
    await sender.sendOriginal(BODY);
    const keys = sent.map(({ headers }) => headerValue(headers, 'idempotency-key'));
    expect(keys).toEqual(['k', 'k-2', 'k-3']);
  });

  test('sends the original with its encoding, and an edited request with none', async () => {
    const { sender, sent } = senderFor(['content-encoding', 'gzip', 'accept-encoding', 'br']);
    await sender.sendOriginal(BODY);
    await sender.sendEdited(BYTES, view, plan);
    const encodings = sent.map(({ headers }) => [
      headerValue(headers, 'content-encoding'),
      headerValue(headers, 'accept-encoding'),
    ]);
    expect(encodings).toEqual([
      ['gzip', 'br'],
      [undefined, 'identity'],
    ]);
  });

  test("appends the headers that a plan needs to the client's, once", async () => {
    const beta = (value: string) => ['anthropic-beta', value];
    const { sender, sent, exchange } = senderFor(beta('own-feature'));
    const [needed] = addedHeaders(exchange.format.loading, plan);
    expect(needed?.name).toBe('anthropic-beta');
    await sender.sendEdited(BYTES, view, plan);
    expect(headerValue(sent[0]!.headers, 'anthropic-beta')).toBe(`own-feature,${needed!.value}`);
    const knowing = senderFor(beta(needed!.value));
    await knowing.sender.sendEdited(BYTES, view, plan);
    expect(headerValue(knowing.sent[0]!.headers, 'anthropic-beta')).toBe(needed!.value);
  });

  test('passes the response to the original on unchanged', async () => {
    const { sender, received } = senderFor([]);
    expect(await sender.forwardOriginal(BODY)).toEqual({ outcome: 'answered', status: 200 });
    expect(received()).toContain('fine');
  });

  test("sends an edited request to the address that its format gives, below the base path, and the original to the client's", async () => {
    const under = exchangeUnderTest('/v1/messages', []);
    const sent: UpstreamRequest[] = [];
    const { format, target } = under.exchange;
    const editTarget = () => ({ path: '/v1/elsewhere', query: '?alt=sse' });
    const upstream = { ...target.upstream, basePath: '/base' };
    const sender = new ExchangeSender({
      exchange: {
        ...under.exchange,
        format: { ...format, editing: { ...format.editing, editTarget } },
        target: { ...target, upstream, path: '/base/v1/messages' },
      },
      tell: under.tell,
      send: async (request) => {
        sent.push(request);
        return responseOf(200, 'fine');
      },
    });
    await sender.sendEdited(BYTES, view, plan);
    await sender.sendOriginal(BODY);
    expect(sent.map(({ path }) => path)).toEqual(['/base/v1/elsewhere?alt=sse', '/base/v1/messages']);
  });
});
