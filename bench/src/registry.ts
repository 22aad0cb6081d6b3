import { ownCheckout, versionsLine, versionsOf } from './checkout.ts';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { marksTable, resultsTable } from './marks.ts';
import { registryMarks } from './registry/marks.ts';
import { measureRegistry } from './registry/measure-registry.ts';
import { FULL_PLAN, QUICK_PLAN, type RegistryPlan, STORES, type StoreName } from './registry/plan.ts';
import { registryFigures, registryTables } from './registry/tables.ts';

const USAGE = 'npm run bench:registry [-- --only memory,sqlite,postgres --quick --json FILE --markdown FILE]';

await runCommand(async () => {
  const options = readOptions();
  const measurements = await measureRegistry(options.plan, { report: showProgress });
  const marks = registryMarks(measurements);
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const versions = versionsOf(ownCheckout(), undefined);
  publish(
    {
      title: 'Registry bench',
      date,
      machine,
      notes: [versionsLine(versions)],
      command: 'bench:registry',
      tables: [...registryTables(measurements), marksTable(marks)],
      page: resultsTable(registryFigures(measurements), marks),
      json: { date, machine, versions, marks, ...measurements },
    },
    options,
  );
});

function readOptions() {
  const { values } = readArguments(
    {
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const plan: RegistryPlan = values.quick ? QUICK_PLAN : FULL_PLAN;
  return { ...values, plan: values.only === undefined ? plan : { ...plan, stores: readStores(values.only) } };
}

function readStores(text: string): readonly StoreName[] {
  return text.split(',').map((name) => {
    const store = STORES.find((known) => known === name);
    if (store !== undefined) return store;
    throw new InputError(`--only takes ${STORES.join(', ')}, not "${name}"\nusage: ${USAGE}`);
  });
}
