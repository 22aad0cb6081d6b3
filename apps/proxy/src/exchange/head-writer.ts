import { headerValue, type RawHeaders } from '../http/headers.ts';
import type { ResponsePlace } from '../http/response-place.ts';
import type { HeadStage } from '../records/describe-exchange.ts';

/** Options of a writer. */
export interface HeadWriterOptions {
  readonly response: ResponsePlace;
  /** The exchange's id, by which records and the selector's log call it. */
  readonly requestId: string;
  /** Told of a response that is a stream of events, when it begins. */
  readonly onStream: () => void;
  /** Whether the client is told about the exchange: `server.response_headers`. */
  readonly isTelling: boolean;
  /** Told of a description that failed; the head is written without it. */
  readonly onDefect: (error: unknown) => void;
}

/** Writes the head of an exchange's one response; every response passes here, the proxy's own errors too. */
export class HeadWriter {
  readonly requestId: string;
  /** Gives, as raw headers, what is known of the exchange when the head of its response is written. */
  describe: (stage: HeadStage) => readonly string[] = () => [];
  /** Names of tools of which the client knows nothing: headers of the upstream's with one in them are left out. */
  hiddenNames: readonly string[] = [];
  readonly #options: HeadWriterOptions;

  constructor(options: HeadWriterOptions) {
    this.#options = options;
    this.requestId = options.requestId;
  }

  write(status: number, given: string[], stage: HeadStage = 'last-round'): void {
    const headers = withoutNames(given, this.hiddenNames);
    const { response, isTelling, onStream } = this.#options;
    if (EVENT_STREAM.test(headerValue(headers, 'content-type') ?? '')) onStream();
    response.writeHead(status, isTelling ? this.#tell(headers, stage) : headers);
  }

  /** The headers of the response, and the proxy's own; an upstream that is a proxy of this kind itself has told of another exchange. */
  #tell(headers: RawHeaders, stage: HeadStage): string[] {
    const told: string[] = [];
    for (let at = 0; at < headers.length; at += 2) {
      if (!OWN.includes(headers[at]!.toLowerCase())) told.push(headers[at]!, headers[at + 1]!);
    }
    return [...told, 'x-winnow-request-id', this.requestId, ...this.#describeSafely(stage)];
  }

  #describeSafely(stage: HeadStage): readonly string[] {
    try {
      return this.describe(stage);
    } catch (error) {
      this.#options.onDefect(error);
      return [];
    }
  }
}

function withoutNames(headers: string[], names: readonly string[]): string[] {
  const hasName = (part: string) => names.some((name) => part.includes(name));
  if (names.length === 0 || !headers.some(hasName)) return headers;
  return headers.filter((_, at) => ![headers[at - (at % 2)]!, headers[at - (at % 2) + 1]!].some(hasName));
}

const EVENT_STREAM = /^text\/event-stream\b/i;

const OWN: readonly string[] = ['x-winnow-request-id', 'x-winnow-rounds', 'x-winnow-tools'];
