import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo, searchHead } from './raw-exchange.ts';
import { manyTools, post, start, type TestSelector } from './start.ts';

const HELD_WORKER = new URL('./held-worker.ts', import.meta.url);
const LISTENING_WORKER = new URL('./listening-worker.ts', import.meta.url);
const LARGE = manyTools(300);

/** The value of a metric without labels. */
async function metric({ url }: TestSelector, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function untilMetricIs(selector: TestSelector, name: string, value: number): Promise<void> {
  while ((await metric(selector, name)) !== value);
}

/** A selector whose build workers do nothing before `release`. */
async function startHeld(buildWorkers = 1) {
  const channel = new BroadcastChannel('held-build-worker');
  onTestFinished(() => channel.close());
  const held = new Promise((resolve) => {
    channel.onmessage = () => resolve(undefined);
  });
  const selector = await start({ buildWorkers }, { buildProgram: HELD_WORKER });
  const release = async () => {
    await held;
    channel.postMessage('go');
    // A worker that starts later, in the place of a lost one, is let go as soon as it says that it is held.
    channel.onmessage = ({ data }) => {
      if (data === 'held') channel.postMessage('go');
    };
  };
  return { selector, release };
}

describe('workers that are started ahead', () => {
  /** A selector, and the messages of its workers. */
  const startHeard = async (buildWorkers: number) => {
    const channel = new BroadcastChannel('listening-build-worker');
    onTestFinished(() => channel.close());
    const heard: string[] = [];
    const waiting = new Set<() => void>();
    channel.onmessage = ({ data }) => {
      heard.push(data);
      for (const look of waiting) look();
    };
    const untilHeard = (said: string, times: number) =>
      new Promise<void>((resolve) => {
        const look = () => heard.filter((one) => one === said).length >= times && resolve();
        waiting.add(look);
        look();
      });
    const selector = await start({ buildWorkers }, { buildProgram: LISTENING_WORKER });
    const ask = (more: string) => {
      const tools = LARGE.map((tool) => ({ ...tool, more }));
      return post(selector.searchUrl, { pattern: 'tool_7', top_k: 1, tools });
    };
    return { selector, heard, untilHeard, ask };
  };

  it('are two at most, and answer requests', async () => {
    const { selector, heard, untilHeard, ask } = await startHeard(3);
    selector.warmUp();
    await untilHeard('started', 2);
    selector.warmUp();
    expect((await ask('')).body.selected_names).toEqual(['tool_7']);
    expect(heard).toEqual(['started', 'started']);
    const other = await startHeard(1);
    other.selector.warmUp();
    expect((await other.ask('')).body.selected_names).toEqual(['tool_7']);
    expect(other.heard).toEqual(['started']);
  });
});

describe('a large catalogue', () => {
  it('waits while another very large one is built, and lets others pass', async () => {
    const { selector, release } = await startHeld(2);
    // More than 4 MiB each.
    const veryLarge = (number: number) =>
      manyTools(300).map((tool) => ({ ...tool, name: `${tool.name}_${number}`, more: 'x'.repeat(15_000) }));
    const ask = (tools: object[]) => post(selector.searchUrl, { pattern: 'tool_7', top_k: 1, tools });
    const first = [ask(veryLarge(1)), ask(veryLarge(2))];
    // One has a worker; the other waits, although there is another worker.
    await untilMetricIs(selector, 'winnow_selector_queued_builds', 1);
    const third = ask(LARGE);
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 3);
    expect(await metric(selector, 'winnow_selector_queued_builds')).toBe(1);
    await release();
    for (const { status } of await Promise.all([...first, third])) expect(status).toBe(200);
  });

  it('is built by a worker and found again like any other', async () => {
    const { searchUrl } = await start();
    const request = { pattern: 'tool_250', include: ['metadata'], tools: LARGE };
    const responses = [await post(searchUrl, request), await post(searchUrl, request)];
    expect(responses.map(({ body }) => (body.selected_names as string[])[0])).toEqual([
      'tool_250',
      'tool_250',
    ]);
    expect(responses.map(({ body }) => (body.search_metadata as { index: string }).index)).toEqual([
      'built',
      'cached',
    ]);
  });

  it('gives the same response as one built on the main thread', async () => {
    const here = await start({ buildWorkers: 0 });
    const there = await start();
    const request = { pattern: 'does task 17 with patience', top_k: 9, include: ['scores'], tools: LARGE };
    expect((await post(there.searchUrl, request)).body).toEqual((await post(here.searchUrl, request)).body);
  });

  it('is made from a known one when most of its tools are known, without a worker', async () => {
    const { selector, release } = await startHeld();
    const first = post(selector.searchUrl, { pattern: 'tool_7', top_k: 1, tools: LARGE });
    await release();
    await first;
    const busy = post(selector.searchUrl, {
      pattern: 'z',
      tools: manyTools(400).map((tool) => ({ ...tool, x: 1 })),
    });
    const changed = [...LARGE.slice(100), { name: 'brand_new' }, ...LARGE.slice(0, 99)];
    const request = {
      pattern: 'brand_new tool_250 tool_99',
      top_k: 4,
      include: ['metadata'],
      tools: changed,
    };
    const responses = [await post(selector.searchUrl, request), await post(selector.searchUrl, request)];
    expect(responses.map(({ body }) => (body.search_metadata as { index: string }).index)).toEqual([
      'built',
      'cached',
    ]);
    for (const { body } of responses) {
      expect((body.selected_names as string[]).slice(0, 2)).toEqual(['brand_new', 'tool_250']);
      expect(body.selected_names).not.toContain('tool_99');
    }
    await busy;
  });

  it('is built once for concurrent requests, each of which gets its own response', async () => {
    const { selector, release } = await startHeld();
    const tools = JSON.stringify(LARGE);
    const responses = Array.from({ length: 8 }, (_, number) =>
      // The query stands on either side of the tools, and has different lengths.
      post(
        selector.searchUrl,
        number % 2 === 0
          ? `{"pattern":"tool_${number * 17}","top_k":1,"tools":${tools}}`
          : `{"tools":${tools},"top_k":1,"pattern":"tool_${number * 17}"}`,
      ),
    );
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 8);
    await release();
    expect((await Promise.all(responses)).map(({ body }) => body.selected_names)).toEqual(
      Array.from({ length: 8 }, (_, number) => [`tool_${number * 17}`]),
    );
    expect(await metric(selector, 'winnow_selector_catalogue_builds_total')).toBe(1);
  });

  it('is built once for a request that is still arriving when the build of another ends', async () => {
    const selector = await start();
    const body = JSON.stringify({ pattern: 'tool_7', top_k: 1, include: ['metadata'], tools: LARGE });
    const slow = await connectTo(selector.url);
    slow.write(searchHead({ 'content-length': body.length, connection: 'close' }) + body.slice(0, 100_000));
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 1);
    const quick = await post(selector.searchUrl, { tools: LARGE, pattern: 'tool_9', top_k: 1 });
    expect(quick.body.selected_names).toEqual(['tool_9']);
    slow.write(body.slice(100_000));
    expect(await slow.closed()).toMatch(/"selected_names":\["tool_7"\].*"index":"cached"/);
    expect(await metric(selector, 'winnow_selector_catalogue_builds_total')).toBe(1);
  });

  it('is built on its own when it only starts like one that is being built', async () => {
    const { selector, release } = await startHeld();
    const send = (last: string) =>
      post(selector.searchUrl, { top_k: 1, pattern: last, tools: [...LARGE, { name: last }] });
    const responses = [send('alpha'), send('gamma'), send('omega')];
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 3);
    await release();
    expect((await Promise.all(responses)).map(({ body }) => body.selected_names)).toEqual([
      ['alpha'],
      ['gamma'],
      ['omega'],
    ]);
  });

  it('is checked for each request when the first one was invalid', async () => {
    const { selector, release } = await startHeld();
    const responses = ['5', '"tool_7"'].map((pattern) =>
      post(selector.searchUrl, `{"top_k":1,"tools":${JSON.stringify(LARGE)},"pattern":${pattern}}`),
    );
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 2);
    await release();
    const [wrong, right] = await Promise.all(responses);
    expect(wrong?.status).toBe(400);
    expect(right?.body.selected_names).toEqual(['tool_7']);
  });

  it('does not keep other requests waiting while it is built', async () => {
    const { selector, release } = await startHeld();
    const large = post(selector.searchUrl, { pattern: 'tool_3', top_k: 1, tools: LARGE });
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 1);
    const small = await post(selector.searchUrl, { pattern: 'x1', tools: [{ name: 'x1' }] });
    expect(small.body.selected_names).toEqual(['x1']);
    await release();
    expect((await large).body.selected_names).toEqual(['tool_3']);
  });

  it('leaves the queue when its client leaves', async () => {
    const { selector, release } = await startHeld();
    const first = post(selector.searchUrl, { pattern: 'tool_3', top_k: 1, tools: LARGE });
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 1);
    const body = JSON.stringify({ pattern: 'tool_3', tools: manyTools(300, ' again') });
    const leaving = await connectTo(selector.url);
    leaving.write(searchHead({ 'content-length': body.length }) + body);
    await untilMetricIs(selector, 'winnow_selector_queued_builds', 1);
    leaving.socket.destroy();
    await untilMetricIs(selector, 'winnow_selector_queued_builds', 0);
    await release();
    expect((await first).status).toBe(200);
    expect(await metric(selector, 'winnow_selector_catalogue_builds_total')).toBe(1);
  });

  it('stays in the queue when another client waits for it', async () => {
    const { selector, release } = await startHeld();
    const blocking = post(selector.searchUrl, { pattern: 'tool_3', top_k: 1, tools: LARGE });
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 1);
    const body = JSON.stringify({ pattern: 'tool_3', top_k: 1, tools: manyTools(300, ' again') });
    const leaving = await connectTo(selector.url);
    leaving.write(searchHead({ 'content-length': body.length }) + body);
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 2);
    const staying = post(selector.searchUrl, body);
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 3);
    leaving.socket.destroy();
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 2);
    await release();
    expect((await staying).body.selected_names).toEqual(['tool_3']);
    expect((await blocking).status).toBe(200);
  });
});

describe('a worker that ends', () => {
  it.each(['please exit', 'please throw'])('fails its own requests and no others (%s)', async (last) => {
    const { selector, release } = await startHeld();
    const request = (pattern: string) => ({ pattern, top_k: 1, tools: manyTools(300, pattern) });
    const responses = [last, last, 'tool_5'].map((pattern) => post(selector.searchUrl, request(pattern)));
    await untilMetricIs(selector, 'winnow_selector_waiting_requests', 3);
    await release();
    const [first, second, third] = await Promise.all(responses);
    for (const lost of [first, second]) {
      expect(lost?.status).toBe(500);
      expect(lost?.body).toEqual({
        error: { code: 'internal', message: 'The catalogue could not be built.' },
      });
    }
    expect(third?.body.selected_names).toEqual(['tool_5']);
    expect(await metric(selector, 'winnow_selector_build_workers_lost_total')).toBe(1);
    expect(JSON.stringify(selector.logs())).not.toContain('secret');
  });
});
