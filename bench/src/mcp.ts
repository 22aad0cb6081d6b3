import { ownCheckout, versionsLine, versionsOf } from './checkout.ts';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { marksTable, resultsTable } from './marks.ts';
import { measureCalls } from './mcp/measure-calls.ts';
import { measureTokens } from './mcp/measure-tokens.ts';
import { callsTable, contextFigures, mcpMarks, tokensTable } from './mcp/tables.ts';

const USAGE = 'npm run bench:mcp -- DIR [--quick --json FILE --markdown FILE]';

/** Numbers of servers that a person, a heavy user and a team have. */
const SERVERS = [5, 20, 50];

await runCommand(async () => {
  const { directory, options } = readOptions();
  showProgress('counting tokens');
  const tokens = await measureTokens(directory, SERVERS);
  showProgress('calling, directly and through the front door');
  const calls = await measureCalls(
    options.quick ? { calls: 200, warmUp: 50 } : { calls: 3_000, warmUp: 500 },
  );
  const marks = mcpMarks(calls);
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const versions = versionsOf(ownCheckout(), undefined);
  publish(
    {
      title: 'MCP bench',
      date,
      machine,
      command: 'bench:mcp -- DIR',
      notes: [versionsLine(versions)],
      tables: [tokensTable(tokens), callsTable(calls), marksTable(marks)],
      page: resultsTable(contextFigures(tokens), marks),
      json: { date, machine, versions, marks, tokens, calls },
    },
    options,
  );
});

function readOptions() {
  const { values, positionals } = readArguments(
    {
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const [directory] = positionals;
  if (directory === undefined) throw new InputError(`a folder of catalogues is missing\nusage: ${USAGE}`);
  return { directory, options: values };
}
