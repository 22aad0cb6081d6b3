import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { countJsonValues, parseKept, writeKept } from '@winnow/core';
import { isJsonObject } from '@winnow/registry';
import { LIMITS_TEXT, MESSAGE_LIMITS } from './message-limits.ts';
import {
  type After,
  LineReader,
  type ProcessGroup,
  type ProcessOptions,
  startProcessGroup,
} from './process-group.ts';

/** Kept part of a line on stderr. */
const MAX_STDERR_BYTES = 4 * 1024;
/** Messages that wait to be read by the server come to no more than this. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;

export interface ProcessTransportOptions extends ProcessOptions {
  readonly after: After;
  /** Takes each line that the process writes to stderr, cut. */
  readonly onStderr: (line: string) => void;
  /** The process wrote something to stdout that is not a message. */
  readonly onNoise: (line: string) => void;
}

/**
 * A server's process as a transport: a JSON message in each line of its input and output.
 *
 * The vendor's own transport starts no process group, so a server behind `npx` outlives it. This one has `pid`
 * and `stderr`, so the vendor's client treats it like its own, and asks the process itself which revisions it
 * speaks, instead of a second one.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  readonly #options: ProcessTransportOptions;
  #group: ProcessGroup | undefined;
  #isClosed = false;
  #lastLine = '';
  #ending: Promise<void> | undefined;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#group?.child.pid ?? null;
  }

  /** Describes how the process ended, with its last line on stderr; undefined while it runs. May contain secrets. */
  get lastWords(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#group?.child ?? {};
    if (exitCode === null && signalCode === null) return undefined;
    const how = exitCode === null ? `by ${signalCode}` : `with exit code ${exitCode}`;
    return `The process ended ${how}${this.#lastLine === '' ? '.' : `: ${this.#lastLine}`}`;
  }

  start(): Promise<void> {
    this.#group = startProcessGroup(this.#options);
    const { child } = this.#group;
    const output = new LineReader(MESSAGE_LIMITS.bytes);
    const errors = new LineReader(MAX_STDERR_BYTES);
    child.stdout!.on('data', (chunk: Buffer) => {
      for (const line of output.read(chunk)) this.#receive(line);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      for (const line of errors.read(chunk)) {
        this.#lastLine = line?.trim() || this.#lastLine;
        this.#options.onStderr(line ?? '(a line of more than 4 KiB)');
      }
    });
    for (const stream of [child.stdin!, child.stdout!, child.stderr!])
      stream.on('error', (error) => this.onerror?.(error));
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(error);
        this.#closed();
      });
      // Not `close`, for which a grandchild that holds the pipes can make us wait for ever.
      child.once('exit', () => this.#closed());
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (!stdin || this.#isClosed || !stdin.writable) throw new Error('The process has ended.');
    if (stdin.writableLength > MAX_WAITING_BYTES) throw new Error('The process does not read its input.');
    // Whether it reads at once is not waited for: an answer that does not come is noticed as such.
    stdin.write(`${writeKept(message)}\n`);
  }

  close(): Promise<void> {
    this.#ending ??= this.#group?.end(this.#options.after) ?? Promise.resolve();
    this.#closed();
    return this.#ending;
  }

  #receive(line: string | undefined): void {
    if (line === undefined || hasTooManyValues(line)) {
      this.onerror?.(new Error(`A message is ${LIMITS_TEXT}.`));
      void this.close();
      return;
    }
    if (line.trim() === '' || this.#isClosed) return;
    const message = parseKept(line);
    if (isJsonObject(message)) this.onmessage?.(message as JSONRPCMessage);
    else this.#options.onNoise(line.slice(0, MAX_STDERR_BYTES));
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Also if the process has ended by itself: the processes that it started may still run.
    this.#ending ??= this.#group?.end(this.#options.after) ?? Promise.resolve();
    this.onclose?.();
  }
}

function hasTooManyValues(line: string): boolean {
  const { values } = MESSAGE_LIMITS;
  // Every value has a character of its own.
  return line.length > values && countJsonValues(Buffer.from(line), values) > values;
}
