import { winnowFetch } from '@winnow/proxy';
import { generateTools, playModel, startUpstream } from '@winnow/testkit';
import type { Mark } from '../marks.ts';
import { CLIENTS, type ClientName, type MoneyClient } from '../money/clients.ts';
import { median, quantiles } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import type { Ratio } from './compare-windows.ts';

/** Number of windows of each mode, and of requests in a window. */
export interface LoadModesEffort {
  readonly rounds: number;
  readonly requests: number;
}

/** Processor time of Winnow per request in swap and in bridge mode. */
export interface LoadModesCost {
  readonly title: string;
  /** Medians of the windows, in microseconds. */
  readonly swapUs: number;
  readonly bridgeUs: number;
  /** Bridge divided by swap, window by window. */
  readonly ratio: Ratio;
}

const MODES = ['swap', 'bridge'] as const;
type Mode = (typeof MODES)[number];

const MODELS: Readonly<Record<ClientName, string>> = {
  chat: 'gpt-5.4',
  messages: 'claude-opus-5',
  responses: 'gpt-5.4',
  gemini: 'gemini-3.5-flash',
};
const MOST = 1.1;
const WARM_UP = 5;

/** The calls of the conversation, and the number of different tools among them. */
const CALLS = 12;
const CALLED_TOOLS = 4;

/**
 * Measures the twelfth request of a conversation that has called four of 200 tools, with their searches in its
 * history. Winnow runs in this process, and its provider is a function that gives the recorded bytes, so
 * nothing but Winnow is measured. Windows of both modes alternate.
 */
export async function measureLoadModes(
  { rounds, requests }: LoadModesEffort,
  report: (line: string) => void,
): Promise<LoadModesCost[]> {
  const upstream = await startUpstream({ model: playModel(PLAN), keeps: () => false, isLenient: true });
  try {
    const costs: LoadModesCost[] = [];
    for (const name of Object.keys(MODELS) as ClientName[]) {
      for (const isStream of [false, true]) {
        const title = `${name}, ${isStream ? 'streamed' : 'whole'}`;
        report(`load modes, ${title}`);
        const senders = { swap: await prepare('swap'), bridge: await prepare('bridge') };
        const windows: Record<Mode, number>[] = [];
        for (let round = -WARM_UP; round < rounds; round += 1) {
          const window = await measureWindow(senders, requests, round % 2 === 0);
          if (round >= 0) windows.push(window);
        }
        costs.push({ title, ...summarize(windows) });

        function prepare(mode: Mode) {
          return prepareRequest({ url: upstream.url, mode, isStream, client: CLIENTS[name] }, MODELS[name]);
        }
      }
    }
    return costs;
  } finally {
    await upstream.close();
  }
}

const TOOLS = generateTools({ count: 200, seed: 1, meanBytes: 670 }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);
const TEXT = 'Please update the record and tell the team about it. ';
const PLAN = {
  searchesAgain: true,
  turns: [
    {
      answer: 'Done.',
      steps: Array.from({ length: CALLS }, (_, at) => {
        const { name } = TOOLS[(at % CALLED_TOOLS) * 17]!;
        return {
          say: 'I will do this now, step by step, as you asked me to.',
          searchFor: [name],
          thenCall: [{ name, input: { id: at, text: TEXT.repeat(6), list: [1, 2, { of: 'three' }] } }],
        };
      }),
    },
  ],
};

interface Preparation {
  readonly url: string;
  readonly mode: Mode;
  readonly isStream: boolean;
  readonly client: MoneyClient;
}

/** A response of the upstream, as bytes in the pieces of its stream. */
interface Recorded {
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Uint8Array[];
}

/** Plays the conversation up to its last call; returns a function that sends that request once more. */
async function prepareRequest(
  { url, mode, isStream, client }: Preparation,
  model: string,
): Promise<() => Promise<void>> {
  let recorded: Recorded | undefined;
  let isReplayed = false;
  const provider: typeof fetch = async (input, init) => {
    if (isReplayed) return responseOf(recorded!);
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    const events = (await response.text()).split(/(?<=\n\n)/);
    recorded = { headers: { 'content-type': type }, pieces: events.map((event) => Buffer.from(event)) };
    return responseOf(recorded);
  };
  let plan: string | undefined;
  const send = winnowFetch(provider, {
    load: mode,
    settings: { 'tools.goal': 'context' },
    onRecord: ({ planReason }) => {
      plan = planReason;
    },
  });
  const post = async (body: object) => {
    const headers = { 'content-type': 'application/json', ...client.headers };
    const response = await send(url + client.path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${mode}: ${response.status} ${text.slice(0, 200)}`);
    return text;
  };
  const head = { model, system: TEXT.repeat(230), tools: TOOLS };
  const history: unknown[] = [client.user('Update the records and tell the team, please.')];
  for (let made = 1; made < CALLS; made += 1) {
    const { items, calls } = client.read(JSON.parse(await post(client.write(head, history))));
    if (calls.length !== 1) throw new Error(`${mode}: ${calls.length} calls in place of one`);
    history.push(...items, ...client.results([{ ...calls[0]!, text: TEXT.repeat(10) }]));
  }
  const last = { ...client.write(head, history), ...(isStream && { stream: true }) };
  await post(last);
  if (plan !== 'deferred') throw new Error(`${mode}: the tools are not deferred (${plan})`);
  isReplayed = true;
  return async () => void (await post(last));
}

function responseOf({ headers, pieces }: Recorded): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body, { headers });
}

/** The mode to measure first alternates: the second one pays for the garbage of the first. */
async function measureWindow(
  senders: Readonly<Record<Mode, () => Promise<void>>>,
  requests: number,
  isSwapFirst: boolean,
): Promise<Record<Mode, number>> {
  const window = { swap: 0, bridge: 0 };
  for (const mode of isSwapFirst ? MODES : MODES.toReversed()) {
    const before = process.cpuUsage();
    for (let count = 0; count < requests; count += 1) await senders[mode]();
    const { user, system } = process.cpuUsage(before);
    window[mode] = (user + system) / requests;
  }
  return window;
}

function summarize(windows: readonly Readonly<Record<Mode, number>>[]) {
  const ratios = windows.map(({ swap, bridge }) => bridge / swap);
  const [low = 0, middle = 0, high = 0] = quantiles(ratios, [0.25, 0.5, 0.75]);
  return {
    swapUs: median(windows.map(({ swap }) => swap)),
    bridgeUs: median(windows.map(({ bridge }) => bridge)),
    ratio: { median: middle, low, high },
  };
}

/** Returns the requirements for the cost of bridge mode. */
export function loadModesMarks(costs: readonly LoadModesCost[]): Mark[] {
  return costs.map(({ title, ratio }) => ({
    what: `CPU per request in bridge mode, swap = 1, ${title}`,
    mark: `at most ${MOST}`,
    measured: `${figure(ratio.median, 2)} (middle half: ${middleHalf(ratio)})`,
    isMet: ratio.median <= MOST,
  }));
}

/** Returns a table of the cost of both modes. */
export function loadModesTable(costs: readonly LoadModesCost[]): Table {
  return {
    title: 'Load modes: CPU of Winnow per request, without sockets, side by side (µs)',
    header: ['request', 'swap', 'bridge', 'ratio', 'middle half'],
    rows: costs.map(({ title, swapUs, bridgeUs, ratio }) => [
      title,
      figure(swapUs, 0),
      figure(bridgeUs, 0),
      figure(ratio.median, 2),
      middleHalf(ratio),
    ]),
    labels: 1,
  };
}

function middleHalf({ low, high }: Ratio): string {
  return `${figure(low, 2)}–${figure(high, 2)}`;
}
