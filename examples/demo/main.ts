import { CATALOGUE } from './catalogue.ts';
import { chooseClients, UnknownFormat } from './choose-clients.ts';
import { USER_MESSAGES } from './conversation.ts';
import { Narrator } from './narrator.ts';
import { pacedModel } from './paced-model.ts';
import { printTable } from './print-table.ts';
import { startServices } from './services.ts';

const write = (text: string) => process.stdout.write(text);
const bold = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text);

/**
 * Runs the same conversation with several libraries, or with that of `--format NAME`, and prints each side's
 * view of it.
 */
async function main(): Promise<void> {
  const makeClients = chooseClients(process.argv.slice(2));
  const services = await startServices({ model: pacedModel() });
  const narrator = new Narrator(services, write);
  write(
    `${bold('Winnow, demonstrated')}: official client libraries, ${CATALOGUE.length} tools, a strict upstream that\n` +
      'rejects what the providers reject, and a model that can call a tool only if it sees its definition.\n',
  );
  for (const makeClient of makeClients) {
    const client = makeClient(services.proxyUrl);
    for (const [turn, message] of USER_MESSAGES.entries()) {
      write(`\n${bold(`── ${client.name}, turn ${turn + 1} `.padEnd(90, '─'))}\n`);
      narrator.line('user says', message);
      await client.say(message, narrator);
    }
  }
  const rejected = services.upstream.rejected().length;
  write(`\nRequests that the strict upstream would have rejected: ${rejected}\n\n`);
  printTable(services.records, write);
  await services.close();
  if (rejected > 0) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  if (!(error instanceof UnknownFormat)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
