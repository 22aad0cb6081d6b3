import { gzipSync } from 'node:zlib';
import { BodyBytes, type Plan } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { handleRefusal, isAboutThinking, restoreOriginal, tryOriginal } from '../src/exchange/fall-back.ts';
import { relay } from '../src/exchange/forward-untouched.ts';
import type { UpstreamResponse } from '../src/upstream/send-upstream.ts';
import { UpstreamBody } from '../src/upstream/upstream-body.ts';
import { exchangeUnderTest, responseOf } from './exchange-under-test.ts';
import { viewOf } from './request-view.ts';

const plan: Plan = {
  loadMode: 'swap',
  defer: ['alpha'],
  load: [],
  searchTool: { name: 'gateway_search_tools', description: '' },
  reason: 'deferred',
};

/** An exchange whose original request gets this response; `steps` lists the facts and requests in order. */
function fallBackTo(response: UpstreamResponse) {
  const under = exchangeUnderTest('/v1/messages');
  const steps: string[] = [];
  const onTaken = async () => void steps.push('taken');
  const sendOriginal = async (body: BodyBytes) => {
    steps.push(`sent ${body.whole}`);
    return response;
  };
  const fallBack = {
    exchange: under.exchange,
    body: new BodyBytes([Buffer.from('original')]),
    tell: (fact: { kind: string }) => steps.push(fact.kind),
    sender: {
      sendOriginal,
      forwardOriginal: async (body: BodyBytes) => {
        await relay(await sendOriginal(body), under.exchange);
        return { outcome: 'answered', status: response.status } as const;
      },
    },
  };
  return { ...under, fallBack, steps, onTaken };
}

describe('restoring the original', () => {
  test('reports the reason before it sends, and passes any response on', async () => {
    const { fallBack, steps, received } = fallBackTo(responseOf(429, 'slow down'));
    const ending = await restoreOriginal(fallBack, 'later_round_failed');
    expect(ending).toEqual({ outcome: 'answered', status: 429 });
    expect(steps).toEqual(['restored', 'sent original']);
    expect(received()).toContain('slow down');
  });

  test('passes a successful response on when it only tries', async () => {
    const { fallBack, steps, onTaken, received } = fallBackTo(responseOf(200, 'fine'));
    expect(await tryOriginal(fallBack, onTaken)).toEqual({ outcome: 'answered', status: 200 });
    expect(steps).toEqual(['sent original', 'restored', 'taken']);
    expect(received()).toContain('fine');
  });

  test('discards any other response when it only tries, and the client has received nothing', async () => {
    const refusal = responseOf(400, 'no', { isWhole: false });
    const { fallBack, steps, onTaken, received } = fallBackTo(refusal);
    expect(await tryOriginal(fallBack, onTaken)).toBeUndefined();
    expect(steps).toEqual(['sent original']);
    expect(refusal.isLetGo()).toBe(true);
    expect(received()).toBe('');
  });
});

describe('a refusal of the edited request', () => {
  test.each([400, 404, 413, 422])('with %d sends the original bytes', async (status) => {
    const refusal = responseOf(status, 'no', { isWhole: false });
    const { fallBack, steps, onTaken, received } = fallBackTo(responseOf(200, 'fine'));
    const refused = { ...fallBack, plan, because: 'upstream_rejected_edit', onTaken } as const;
    expect(await handleRefusal(refused, refusal)).toEqual({ outcome: 'answered', status: 200 });
    expect(steps).toEqual(['restored', 'sent original', 'taken']);
    expect(refusal.isLetGo()).toBe(true);
    expect(received()).toContain('fine');
  });

  test.each([401, 403, 429, 500, 529])('with %d is passed on', async (status) => {
    const { fallBack, steps, onTaken, received } = fallBackTo(responseOf(200, 'fine'));
    const refusal = responseOf(status, { error: 'as it came' });
    const refused = { ...fallBack, plan, because: 'upstream_rejected_edit', onTaken } as const;
    expect(await handleRefusal(refused, refusal)).toEqual({ outcome: 'answered', status });
    expect(steps).toEqual([]);
    expect(received()).toContain('{"error":"as it came"}');
  });

  test('that names the search tool is replaced by a general error', async () => {
    const { fallBack, onTaken, received } = fallBackTo(responseOf(200, 'fine'));
    const refused = { ...fallBack, plan, because: 'defect', onTaken } as const;
    await handleRefusal(refused, responseOf(500, 'gateway_search_tools is odd'));
    expect(received()).toContain('The upstream answered with status 500.');
    expect(received()).not.toContain('gateway_search_tools');
  });
});

describe('a refusal is about thinking', () => {
  const thought = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] },
    { role: 'user', content: 'go on' },
  ];
  const { exchange } = exchangeUnderTest('/v1/messages');
  const withThinking = viewOf({ tools: ['a'], more: { messages: thought } });
  const refusal = (status: number, text: string) => responseOf(status, { error: { message: text } });

  test('if it names it, and the history has some', async () => {
    const about = await isAboutThinking(refusal(400, 'thinking blocks'), exchange, withThinking);
    expect(about).toBe(true);
  });

  test.each<[string, UpstreamResponse, typeof withThinking]>([
    ['about something else', refusal(400, 'too long'), withThinking],
    ['with another status', refusal(413, 'thinking blocks'), withThinking],
    ['of a history without thinking', refusal(400, 'thinking blocks'), viewOf({ tools: ['a'] })],
  ])('but not an error %s', async (_, response, view) => {
    expect(await isAboutThinking(response, exchange, view)).toBe(false);
  });
});

describe('an error that may name the search tool', () => {
  const refused = (headers: string[], body: Buffer) => {
    const response = responseOf(500, '');
    const upstream = new UpstreamBody({ pause() {}, resume() {}, abort() {} });
    upstream.push(body);
    upstream.finish();
    return { ...response, headers, body: upstream };
  };
  const send = async (response: UpstreamResponse) => {
    const { fallBack, received, onTaken } = fallBackTo(response);
    await handleRefusal({ ...fallBack, plan, because: 'upstream_rejected_edit', onTaken }, response);
    return received();
  };

  test('is found in a compressed body and replaced by a general error', async () => {
    const body = gzipSync('{"error":"no tool gateway_search_tools"}');
    const received = await send(refused(['content-encoding', 'gzip', 'retry-after', '3'], body));
    expect(received).toContain('The upstream answered with status 500.');
    expect(received).toContain('retry-after: 3');
    expect(received).not.toContain('gzip');
  });

  test('is replaced if its encoding is unknown', async () => {
    expect(await send(refused(['content-encoding', 'odd'], Buffer.from('?')))).toContain('status 500');
  });

  test('passes unchanged if it names none', async () => {
    expect(await send(refused(['content-encoding', 'gzip'], gzipSync('{"error":"busy"}')))).toContain('gzip');
  });
});
