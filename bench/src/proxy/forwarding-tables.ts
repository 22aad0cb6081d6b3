import type { Figure } from '../marks.ts';
import { median } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { type RoundWindow, windowsOf } from './compare-windows.ts';
import { pipeRatio, STREAMS, spreadText } from './forwarding-marks.ts';
import type { FirstContent, ForwardingCost } from './run.ts';

/**
 * Returns a table of the cost of a request through each receiver, with the undici pipe's processor time over
 * it.
 */
export function forwardingTable({ title, bodyBytes, windows }: ForwardingCost): Table {
  const counts = [...new Set(windows.map(({ connections }) => connections))];
  const receivers = receiversOf(windows);
  return {
    title: `Cost per request: ${title}; ${kibibytes(bodyBytes)} KiB, whole responses`,
    header: [
      'through',
      'connections',
      'requests/s',
      'p50 ms',
      'CPU µs',
      'pipe CPU ÷ its CPU',
      'middle half',
      'bench CPU µs',
    ],
    rows: counts.flatMap((connections) =>
      receivers.map((receiver) => {
        const own = windowsOf(windows, receiver, connections);
        const middle = (key: 'perSecond' | 'p50Ms' | 'benchCpuUs') =>
          median(own.map((window) => window[key]));
        const isCounted = own.every(({ cpuUs }) => cpuUs !== undefined);
        const ratio = pipeRatio(windows, receiver, connections);
        return [
          receiver,
          String(connections),
          figure(middle('perSecond'), 0),
          figure(middle('p50Ms'), 2),
          figure(isCounted ? median(own.map(({ cpuUs }) => cpuUs!)) : undefined, 0),
          figure(ratio?.median, 2),
          ratio ? spreadText(ratio) : '–',
          figure(middle('benchCpuUs'), 0),
        ];
      }),
    ),
    labels: 1,
  };
}

/** Receivers that a page compares the proxy with. */
const COMPARED = ['direct', 'undici pipe'];

/** Numbers of connections that a page shows. */
const SHOWN_CONNECTIONS = [1, 16];

/** Returns the cost of a request through the proxy and what it is compared with. */
export function forwardingFigures({ title, windows }: ForwardingCost): Figure[] {
  const receivers = receiversOf(windows).filter((name) => COMPARED.includes(name) || !PLACES.includes(name));
  return SHOWN_CONNECTIONS.flatMap((connections) =>
    receivers.map((receiver) => {
      const own = windowsOf(windows, receiver, connections);
      const middle = (key: 'perSecond' | 'p50Ms') => median(own.map((window) => window[key]));
      const isCounted = own.every(({ cpuUs }) => cpuUs !== undefined);
      const cpu = figure(isCounted ? median(own.map(({ cpuUs }) => cpuUs!)) : undefined, 0);
      return {
        what: `${title}, ${receiver}, c = ${connections}: CPU; p50; requests per second`,
        measured: `${cpu} µs; ${figure(middle('p50Ms'), 2)} ms; ${figure(middle('perSecond'), 0)}`,
      };
    }),
  );
}

/** Returns a table of the time until the first visible text of a streamed response. */
export function firstContentTable({ answer, windows }: FirstContent): Table {
  const connections = windows[0]?.connections ?? 0;
  return {
    title: `First visible content, ${STREAMS[answer]}, 200 tools deferred, ${connections} connections (ms)`,
    header: ['through', 'first content p50', 'last byte p50', 'responses/s'],
    rows: receiversOf(windows).map((receiver) => {
      const own = windowsOf(windows, receiver, connections);
      const middle = (key: 'firstContentMs' | 'p50Ms' | 'perSecond') =>
        median(own.map((window) => window[key]));
      return [
        receiver,
        figure(middle('firstContentMs'), 2),
        figure(middle('p50Ms'), 2),
        figure(middle('perSecond'), 0),
      ];
    }),
    labels: 1,
  };
}

/** Returns all receivers, the references before the proxies, whatever the order of the rounds. */
function receiversOf(windows: readonly RoundWindow[]): string[] {
  return [...new Set(windows.map(({ receiver }) => receiver))].toSorted(byPlace);
}

const PLACES = ['direct', 'haproxy', 'nginx', 'undici pipe', 'http pipe'];

function byPlace(left: string, right: string): number {
  const place = (name: string) => (PLACES.includes(name) ? PLACES.indexOf(name) : PLACES.length);
  return place(left) - place(right) || (left < right ? 1 : -1);
}

/** Formats bytes for tables. */
export function kibibytes(bytes: number): string {
  return figure(bytes / 1_024, 1);
}
