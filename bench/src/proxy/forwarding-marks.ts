import type { Mark } from '../marks.ts';
import { median } from '../summarize-times.ts';
import { figure } from '../table.ts';
import { compareWindows, type Ratio, type RoundWindow, windowsOf } from './compare-windows.ts';
import type { ForwardingWay } from './forwarding-ways.ts';
import type { FirstContent, ForwardingCost } from './run.ts';

/** Returns the requirements for the cost of forwarding, and for the bench's ability to measure it. */
export function forwardingMarks(forwarding: readonly ForwardingCost[]): Mark[] {
  return [
    ...forwarding.flatMap(cpuMarks),
    ...forwarding.flatMap(rateMarks),
    ...forwarding.flatMap(generatorMarks),
    ...formatMarks(forwarding),
  ];
}

/** The names of the kinds of streams. */
export const STREAMS = { stream: 'streams without a pause', paced: 'paced streams' } as const;

const MOST_TIMES_FIRST_CONTENT = 3;

/** Returns the requirement for the time until the first text of a streamed response. */
export function firstContentMarks({ answer, windows }: FirstContent): Mark[] {
  const connections = windows[0]?.connections ?? 0;
  const ratioOf = (dividend: string) =>
    compareWindows(windows, { connections, dividend, divisor: PIPE, by: 'firstContentMs' });
  const [ratio, baseline] = [ratioOf('winnow tool-search'), ratioOf('baseline tool-search')];
  if (ratio === undefined) return [];
  const ms = (receiver: string) =>
    figure(median(windowsOf(windows, receiver, connections).map((window) => window.firstContentMs)), 2);
  return [
    {
      what: `first visible content, ${STREAMS[answer]}, 200 tools deferred, ${atATime(connections)}, p50`,
      mark: `at most ${MOST_TIMES_FIRST_CONTENT} times the undici pipe’s`,
      measured: `${ratioText(ratio)} times: ${ms('winnow tool-search')} ms, pipe ${ms(PIPE)} ms${baselineText(baseline)}`,
      isMet: ratio.median <= MOST_TIMES_FIRST_CONTENT,
    },
  ];
}

/** Minimum ratio of the undici pipe's processor time per request to the proxy's, and the desired ratio. */
const CPU_MARKS: Readonly<Record<ForwardingWay, readonly CpuMark[]>> = {
  passthrough: [
    { connections: 1, least: 0.75, aim: 0.85 },
    { connections: 16, least: 0.5, aim: 0.6 },
  ],
  off: [
    { connections: 1, least: 0.75, aim: 0.85 },
    { connections: 16, least: 0.5, aim: 0.6 },
  ],
  'tool-search': [
    { connections: 1, least: 0.5, aim: 0.6 },
    { connections: 16, least: 0.35, aim: 0.45 },
  ],
  api: [],
};

interface CpuMark {
  readonly connections: number;
  readonly least: number;
  readonly aim: number;
}

/** The pipe that a proxy's processor time is compared with. */
const PIPE = 'undici pipe';

/** Ratio of the undici pipe's processor time per request to another receiver's, in the same rounds. */
export function pipeRatio(
  windows: readonly RoundWindow[],
  receiver: string,
  connections: number,
): Ratio | undefined {
  return compareWindows(windows, { connections, dividend: PIPE, divisor: receiver, by: 'cpuUs' });
}

function cpuMarks({ title, ways, windows }: ForwardingCost): Mark[] {
  return ways.flatMap((way) =>
    CPU_MARKS[way].flatMap(({ connections, least, aim }) => {
      const ratio = pipeRatio(windows, `winnow ${way}`, connections);
      if (ratio === undefined) return [];
      const baseline = pipeRatio(windows, `baseline ${way}`, connections);
      return {
        what: `CPU per request, undici pipe ÷ Winnow, ${way}, ${title}, ${atATime(connections)}`,
        mark: `at least ${least} (aim: ${aim})`,
        measured: `${ratioText(ratio)}${baselineText(baseline)}`,
        isMet: ratio.median >= least,
      };
    }),
  );
}

/** Maximum cost of a request with tools in another format, relative to Chat Completions. */
const MOST_TIMES_CHAT = 1.3;

/** The loads in Chat Completions. */
export const OF_CHAT: ReadonlySet<string> = new Set(['small', 'tools', 'openings']);

/** Both are relative to the undici pipe, because they are measured one after the other. */
function formatMarks(forwarding: readonly ForwardingCost[]): Mark[] {
  const chat = forwarding.find(({ load }) => load === 'tools');
  const others = forwarding.filter(({ load }) => !OF_CHAT.has(load));
  return others.flatMap(({ title, windows }) =>
    [1, 16].flatMap((connections) => {
      const ratioOf = (of: readonly RoundWindow[]) => pipeRatio(of, 'winnow tool-search', connections);
      const [own, its] = [ratioOf(windows), chat && ratioOf(chat.windows)];
      if (own === undefined || its === undefined) return [];
      const times = its.median / own.median;
      return {
        what: `CPU per request, in terms of Chat Completions, tool-search, ${title}, ${atATime(connections)}`,
        mark: `at most ${MOST_TIMES_CHAT} times`,
        measured: `${figure(times, 2)} times`,
        isMet: times <= MOST_TIMES_CHAT,
      };
    }),
  );
}

/** Minimum ratio of the proxy's requests per second to those of a `node:http` pipe. */
const RATE_MARKS: Readonly<Partial<Record<ForwardingWay, number>>> = {
  passthrough: 0.6,
  'tool-search': 0.35,
};
const RATE_CONNECTIONS = 16;

function rateMarks({ title, ways, windows }: ForwardingCost): Mark[] {
  return ways.flatMap((way) => {
    const least = RATE_MARKS[way];
    const sides = { dividend: `winnow ${way}`, divisor: 'http pipe', by: 'perSecond' } as const;
    const ratio = compareWindows(windows, { connections: RATE_CONNECTIONS, ...sides });
    if (least === undefined || ratio === undefined) return [];
    return {
      what: `requests per second, Winnow ÷ node:http pipe, ${way}, ${title}, ${atATime(RATE_CONNECTIONS)}`,
      mark: `at least ${least}`,
      measured: ratioText(ratio),
      isMet: ratio.median >= least,
    };
  });
}

/**
 * Number of connections at which to check whether the bench itself is the limit, and the minimum ratio of its
 * floor to the pipe.
 */
const GENERATOR_CONNECTIONS = 64;
const LEAST_ABOVE_PIPE = 1.5;

/**
 * If even a proxy written in C serves hardly more than the pipe, the bench has measured its own sending and
 * responding.
 */
function generatorMarks({ title, windows }: ForwardingCost): Mark[] {
  const floor = FLOORS.find((name) => windows.some(({ receiver }) => receiver === name));
  if (floor === undefined) return [];
  const sides = { dividend: floor, divisor: PIPE, by: 'perSecond' } as const;
  const ratio = compareWindows(windows, { connections: GENERATOR_CONNECTIONS, ...sides });
  if (ratio === undefined) return [];
  return [
    {
      what: `the bench does not limit: requests per second, ${floor} ÷ undici pipe, ${title}, ${atATime(GENERATOR_CONNECTIONS)}`,
      mark: `at least ${LEAST_ABOVE_PIPE}`,
      measured: ratioText(ratio),
      isMet: ratio.median >= LEAST_ABOVE_PIPE,
    },
  ];
}

const FLOORS = ['haproxy', 'nginx'];

/** Describes a number of connections in a mark. */
export function atATime(connections: number): string {
  return `c = ${connections}`;
}

/** Describes the figures between which the middle half of the rounds lies. */
export function spreadText({ low, high }: Ratio): string {
  return `${figure(low, 2)}–${figure(high, 2)}`;
}

function ratioText(ratio: Ratio): string {
  return `${figure(ratio.median, 2)} (${spreadText(ratio)})`;
}

function baselineText(baseline: Ratio | undefined): string {
  return baseline ? `; baseline ${ratioText(baseline)}` : '';
}
