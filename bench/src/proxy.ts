import { loadavg } from 'node:os';
import { baselineCheckout, ownCheckout, versionsLine, versionsOf } from './checkout.ts';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { describeMachine } from './machine.ts';
import { marksTable } from './marks.ts';
import { proxyMarks } from './proxy/marks.ts';
import { measureProxy } from './proxy/measure-proxy.ts';
import { readParts } from './proxy/parts.ts';
import { FULL_PLAN, QUICK_PLAN } from './proxy/plan.ts';
import type { ProxyRun } from './proxy/run.ts';
import { proxyPage, proxyTables } from './proxy/tables.ts';

const USAGE =
  'npm run bench:proxy [-- --quick --only PARTS --baseline DIR --json FILE --markdown FILE --profile DIR]';

/** Average number of running programs before a run above which times say little. */
const MOST_LOAD = 0.5;

await runCommand(async () => {
  const options = readOptions();
  const parts = readParts(options.only, options.quick);
  const own = ownCheckout();
  const baseline = options.baseline === undefined ? undefined : baselineCheckout(options.baseline);
  const [load = 0] = loadavg();
  const measurements = await measureProxy(options.quick ? QUICK_PLAN : FULL_PLAN, {
    parts,
    own,
    baseline,
    report: showProgress,
    profileDirectory: options.profile,
  });
  const marks = proxyMarks(measurements);
  const run: ProxyRun = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: versionsOf(own, baseline),
    marks,
    ...measurements,
  };
  const tables = [...proxyTables(run), marksTable(marks)];
  const notes = [versionsLine(run.versions), ...(load > MOST_LOAD ? [busyLine(load)] : [])];
  const { date, machine } = run;
  const page = proxyPage(run);
  publish(
    { title: 'Proxy bench', date, machine, command: 'bench:proxy', notes, tables, page, json: run },
    options,
  );
});

function busyLine(load: number): string {
  return `The machine was busy (load ${load.toFixed(1)}): only ratios compare.`;
}

function readOptions() {
  const { values } = readArguments(
    {
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        baseline: { type: 'string' },
        json: { type: 'string' },
        markdown: { type: 'string' },
        profile: { type: 'string' },
      },
    },
    USAGE,
  );
  return values;
}
