import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { describeMachine } from './machine.ts';
import { marksTable } from './marks.ts';
import { proxyMarks } from './proxy/marks.ts';
import { measureProxy } from './proxy/measure-proxy.ts';
import { FULL_PLAN, QUICK_PLAN } from './proxy/plan.ts';
import type { ProxyRun } from './proxy/run.ts';
import { proxyTables } from './proxy/tables.ts';

const USAGE = 'npm run bench:proxy [-- --quick --json FILE --markdown FILE --profile DIR]';

await runCommand(async () => {
  const options = readOptions();
  const measurements = await measureProxy(options.quick ? QUICK_PLAN : FULL_PLAN, {
    report: showProgress,
    profileDirectory: options.profile,
  });
  const marks = proxyMarks(measurements);
  const run: ProxyRun = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    marks,
    ...measurements,
  };
  const tables = [...proxyTables(run), marksTable(marks)];
  publish({ title: 'Proxy bench', date: run.date, machine: run.machine, tables, json: run }, options);
});

function readOptions() {
  const { values } = readArguments(
    {
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
        profile: { type: 'string' },
      },
    },
    USAGE,
  );
  return values;
}
