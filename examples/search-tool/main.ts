import { type RequestTokens, runExample, savedShare, sumOf } from './run-example.ts';
import { REQUEST } from './scripted-model.ts';
import { TOOLS } from './tools.ts';

const write = (line: string) => process.stdout.write(`${line}\n`);
const count = (number: number) => number.toLocaleString('en');

/** Runs the example and prints the model's actions and their cost. */
async function main(): Promise<void> {
  write(`${TOOLS.length} tools in a registry; the model is shown one, which finds the others.\n`);
  write(`user      ${REQUEST}`);
  const result = await runExample({
    onSearch: (argumentsText, found) => write(`searches  ${argumentsText}: ${found.join(', ')}`),
    onCall: (name, argumentsText) => write(`calls     ${name} ${argumentsText}`),
    onAnswer: (text) => write(`says      ${text}\n`),
  });
  write(describe('With all tools', result.withAll));
  write(describe('With the search tool', result.withSearch));
  write(
    `Saved: ${(100 * savedShare(result)).toFixed(1)} % of the input tokens (o200k_base; tools and messages of all requests).`,
  );
  write(`The search tool and its system text take ${result.searchToolTokens} tokens.`);
  if (result.rejected > 0) {
    write(`A real provider would have refused ${result.rejected} requests.`);
    process.exitCode = 1;
  }
}

function describe(title: string, requests: RequestTokens): string {
  const each = requests.map(({ tools, tokens }) => `${count(tokens)} (${tools} tools)`).join(' + ');
  return `${title}: ${count(sumOf(requests))} tokens in ${requests.length} requests: ${each}`;
}

await main();
