import { appendLines } from '../src/records/record-file.ts';

/** Appends more to a file than the process may write, and prints the error's code. */
try {
  await appendLines(Buffer.from(`${'x'.repeat(5_000)}\n`), {
    path: process.argv[2]!,
    maxBytes: 10_000,
    keep: 1,
  });
} catch (error) {
  process.stdout.write((error as NodeJS.ErrnoException).code ?? 'none');
}
