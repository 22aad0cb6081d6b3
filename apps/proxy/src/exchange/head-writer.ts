import { headerValue, type RawHeaders } from '../http/headers.ts';
import type { ResponsePlace } from '../http/response-place.ts';
import type { HeadStage } from '../records/describe-exchange.ts';

export interface HeadWriterOptions {
  readonly response: ResponsePlace;
  /** The exchange's id in records and in the selector's log. */
  readonly requestId: string;
  /** Called when a response that is an event stream begins. */
  readonly onStream: () => void;
  /** Whether the response headers describe the exchange: `server.response_headers`. */
  readonly isTelling: boolean;
  /** Receives an error of the description; the head is then written without it. */
  readonly onDefect: (error: unknown) => void;
}

/** Writes the head of an exchange's response; all responses use it, including the proxy's own errors. */
export class HeadWriter {
  readonly requestId: string;
  /** Returns the known facts of the exchange as raw headers, when the head of its response is written. */
  describe: (stage: HeadStage) => readonly string[] = () => [];
  /** Names of tools that the client does not know: upstream headers that contain one are omitted. */
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

  /**
   * Returns the headers of the response with the proxy's own. Headers of an upstream that is also a Winnow
   * proxy are dropped, as they describe another exchange.
   */
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
