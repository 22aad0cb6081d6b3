import { readArguments } from '../command.ts';
import { InputError } from '../input-error.ts';

/** Command-line options of a load. */
export interface LoadOptions {
  readonly seconds: number;
  readonly conversations: number;
  readonly seed: number;
  /** Files for the results. */
  readonly files: { readonly json?: string; readonly markdown?: string };
}

/**
 * Reads the options that all loads share.
 *
 * @throws InputError if an option is unknown or not a number.
 */
export function readLoadOptions(program: string, defaultSeconds: number): LoadOptions {
  const usage = `npm run ${program} [-- --seconds N --conversations N --seed N --json FILE --markdown FILE]`;
  const { values } = readArguments(
    {
      options: {
        seconds: { type: 'string', default: String(defaultSeconds) },
        conversations: { type: 'string', default: '200' },
        seed: { type: 'string', default: '1' },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    usage,
  );
  const [seconds, conversations, seed] = [
    Number(values.seconds),
    Number(values.conversations),
    Number(values.seed),
  ] as const;
  if (!(seconds > 0 && conversations > 0 && Number.isInteger(seed))) {
    throw new InputError(`--seconds, --conversations and --seed are numbers\nusage: ${usage}`);
  }
  return { seconds, conversations, seed, files: values };
}
