import { type ExchangeRecord, type SearchRecord, toolTokens } from '@winnow/core';
import type { ClientEvents } from './client.ts';
import type { Services } from './services.ts';
import { readUpstreamCall, type UpstreamCall } from './upstream-call.ts';

/** Writes text as it arrives. */
export type Write = (text: string) => void;

/** Width of the column with the speakers' names. */
const LABEL_CHARS = 17;

/** Prints each exchange while it runs, followed by its hidden part. */
export class Narrator implements ClientEvents {
  readonly #services: Services;
  readonly #write: Write;
  #isSpeaking = false;
  #requestsBefore = 0;
  #recordsRead = 0;

  constructor(services: Services, write: Write) {
    this.#services = services;
    this.#write = write;
  }

  onRequest = (): void => {
    this.#requestsBefore = this.#services.upstream.requests.length;
  };

  onText = (text: string): void => {
    this.#write(this.#isSpeaking ? text : label('client reads') + text);
    this.#isSpeaking = true;
  };

  onCall = (name: string, input: unknown): void => {
    this.#endLine();
    this.line('client runs', `${name} ${JSON.stringify(input)}`);
  };

  onAnswer = async (): Promise<void> => {
    this.#endLine();
    const record = await this.#nextRecord();
    const calls = this.#services.upstream.requests.slice(this.#requestsBefore).map(readUpstreamCall);
    const { before, after } = record.toolBytes;
    this.line('  client sent', `${record.tools.total} tools, ${count(before)} bytes`);
    this.#printCalls(calls, record);
    const requests = calls.length === 1 ? '1 request' : `${calls.length} requests`;
    this.line('  the model read', `${count(after)} bytes of tools in ${requests}`);
    this.line('  saved', `${count(before - after)} bytes, about ${count(savedTokens(record))} tokens`);
  };

  /** Prints one line with its label. */
  line(name: string, text: string): void {
    this.#write(`${label(name)}${text}\n`);
  }

  /** Queries are in the history of the next request. */
  #printCalls(calls: readonly UpstreamCall[], { searches }: ExchangeRecord): void {
    let searched = 0;
    for (const [number, call] of calls.entries()) {
      if (number > 0) {
        for (const query of call.queries.slice(calls[number - 1]!.queries.length)) {
          this.line('  it searched', `"${query}" and ${describeSearch(searches[searched++])}`);
        }
      }
      const before = number === 0 ? [] : calls[number - 1]!.visible;
      this.line('  the model saw', describeVisible(call.visible, before));
    }
  }

  #endLine(): void {
    if (this.#isSpeaking) this.#write('\n');
    this.#isSpeaking = false;
  }

  /**
   * The record of the exchange that has just ended. The proxy writes it right after the end of the response.
   */
  async #nextRecord(): Promise<ExchangeRecord> {
    const { records } = this.#services;
    while (records.length <= this.#recordsRead) await new Promise((resolve) => setImmediate(resolve));
    return records[this.#recordsRead++]!;
  }
}

/** Describes the result of a search in words. */
export function describeSearch(search: SearchRecord | undefined): string {
  switch (search?.outcome) {
    case 'found':
      return `found ${search.names.join(', ')}`;
    case 'no_match':
      return 'found nothing that matches';
    case 'limit':
      return 'was shown everything: it had searched often enough';
    case undefined:
      return 'has no record of what it found';
    default:
      return `the search failed (${search!.outcome}): it was shown everything`;
  }
}

/** Estimated tokens of the tools that an exchange did not send. */
export function savedTokens({ toolBytes }: ExchangeRecord): number {
  return toolTokens(toolBytes.before) - toolTokens(toolBytes.after);
}

/** Formats a number with thousands separators. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

function label(name: string): string {
  return name.padEnd(LABEL_CHARS);
}

/** Lists a few names, and counts the rest. */
const SHOWN_NAMES = 6;

function describeVisible(visible: readonly string[], before: readonly string[]): string {
  const news = visible.filter((name) => !before.includes(name));
  const rest = news.length - SHOWN_NAMES;
  const names = news.slice(-SHOWN_NAMES).join(', ');
  const tools = visible.length === 1 ? '1 tool' : `${visible.length} tools`;
  return `${tools}, ${before.length > 0 ? 'now also ' : ''}${rest > 0 ? `${rest} others and ` : ''}${names}`;
}
