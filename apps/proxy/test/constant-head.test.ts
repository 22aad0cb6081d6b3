import { noPause } from '@winnow/ranking';
import { FORMATS, type LoadMode } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { LoadModes } from '../src/strategies/load-modes.ts';
import { planWithSearch } from '../src/strategies/plan-with-search.ts';
import { createPreload } from '../src/strategies/preload.ts';
import { BODIES, type Conversation, readConversation } from './conversation-bodies.ts';

const TOOLS = [
  'keep_me',
  'mail_send',
  'mail_list',
  'invoice_create',
  'invoice_pay',
  'weather_forecast',
  'file_read',
];
const RULES = { alwaysKeep: ['keep_me'], maxNamed: 25, minTools: 0, minDeferredTokens: 0 };
const preload = createPreload({ limit: 5, pause: noPause, ...RULES });
const loadModes = new LoadModes({ now: () => 0, say: () => {} });

/** Plans a conversation in a mode, and writes its request. */
async function send(
  name: string,
  loadMode: LoadMode,
  conversation: Omit<Conversation, 'tools'>,
  groups: readonly string[] = [],
) {
  const view = readConversation(name, { tools: TOOLS, ...conversation });
  const format = FORMATS.find((one) => one.name === name)!;
  const preloaded = (await preload(view)).names;
  const upstream = { name: 'up', origin: format.vendor.origins[0] ?? 'https://up.example' } as never;
  const preloadForm = loadModes.preloadForm({ format, upstream, view, tenant: '' }, loadMode);
  const plan = planWithSearch(
    { view, loaded: [], preloaded, groups, preloadForm, loadMode },
    { ...RULES, searchToolName: 'gateway_search_tools' },
  );
  const bytes = format.editing.editRequest(view, plan, { hiddenTurns: [], rounds: [] });
  return { text: new TextDecoder().decode(bytes), plan, preloaded };
}

/** Each format in each mode that it can write and that leaves the tools alone. */
const CONSTANT = FORMATS.flatMap(({ name, loading }) =>
  loading.modes.flatMap((mode) => (mode === 'swap' ? [] : [[name, mode] as const])),
);

test('every format is written here', () => {
  expect(Object.keys(BODIES).sort()).toEqual(FORMATS.map(({ name }) => name).sort());
  expect(CONSTANT.length).toBeGreaterThanOrEqual(5);
});

const BRIDGED = CONSTANT.flatMap(([name, mode]) => (mode === 'bridge' ? [name] : []));

test.each(BRIDGED)(
  '%s, bridge: groups stand behind the tools that the first message brings',
  async (name) => {
    const texts = ['Send a mail to Ann.'];
    const [plain, more] = [
      await send(name, 'bridge', { texts }),
      await send(name, 'bridge', { texts }, ['parcels', 'stamps']),
    ];
    const line = 'Further groups that may fit: parcels, stamps.';
    expect(plain.text).not.toContain('Further groups');
    expect(more.text.replace(`\\n${line}`, '')).toBe(plain.text);
    for (const tool of more.preloaded)
      expect(more.text.indexOf(line)).toBeGreaterThan(more.text.lastIndexOf(tool));
  },
);

describe.each(CONSTANT)('%s, %s', (name, mode) => {
  test('conversations of one agent have the same request up to the first message', async () => {
    const [mail, invoice] = ['Send a mail to Ann.', 'Pay the invoice of May.'];
    const first = await send(name, mode, { texts: [mail] });
    const second = await send(name, mode, { texts: [invoice] });
    expect(first.preloaded).not.toEqual(second.preloaded);
    expect(first.preloaded.length).toBeGreaterThan(0);
    expect(first.text.slice(0, first.text.indexOf(mail))).toBe(
      second.text.slice(0, second.text.indexOf(invoice)),
    );
    // What was preloaded comes after that message.
    const [head, tail] = [
      first.text.slice(0, first.text.indexOf(mail)),
      first.text.slice(first.text.indexOf(mail)),
    ];
    for (const tool of first.preloaded) expect(tail).toContain(tool);
    if (mode === 'bridge') for (const tool of first.preloaded) expect(head).not.toContain(`"${tool}"`);
  });

  test('a conversation only grows at its end', async () => {
    const texts = [
      'Send a mail to Ann.',
      'Done.',
      'And now the weather forecast.',
      'Sunny.',
      'Pay the invoice.',
    ];
    const requests = [1, 3, 5].map((length) => send(name, mode, { texts: texts.slice(0, length) }));
    const [first, second, third] = (await Promise.all(requests)).map(({ text }) =>
      text.slice(0, -']}'.length),
    );
    expect(second!.startsWith(first!)).toBe(true);
    expect(third!.startsWith(second!)).toBe(true);
  });

  test('the search tool and the bridge tool say nothing that a message changes', async () => {
    const first = await send(name, mode, { texts: ['Send a mail.'] });
    const second = await send(name, mode, { texts: ['hello'] });
    expect(second.preloaded).toEqual([]);
    expect(first.plan.searchTool).toEqual(second.plan.searchTool);
    expect(first.plan.searchTool!.description).not.toMatch(/\d/);
    expect(first.plan.defer).toEqual(second.plan.defer);
  });
});

describe.each(FORMATS.filter(({ loading }) => loading.modes.includes('swap')))('$name, swap', ({ name }) => {
  test('preloaded tools stand after the search tool, so that what precedes them is shared', async () => {
    const first = await send(name, 'swap', { texts: ['Send a mail.'] });
    const second = await send(name, 'swap', { texts: ['Pay the invoice.'] });
    const searchTool = first.text.indexOf('gateway_search_tools');
    expect(searchTool).toBeGreaterThan(first.text.indexOf('keep_me'));
    const end = searchTool + first.plan.searchTool!.description.length;
    expect(first.text.slice(0, end)).toBe(second.text.slice(0, end));
    for (const tool of first.preloaded) expect(first.text.lastIndexOf(`"${tool}"`)).toBeGreaterThan(end);
  });
});
