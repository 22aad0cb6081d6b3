import { decodeWhole } from './decode-leniently.ts';

/** The response that a well-behaved client got from a hostile upstream: its outcome, and its fault if any. */
export interface Judgement {
  /**
   * An outcome such as `200`, `200 broken`, or `closed` for a connection that was closed without a response.
   */
  readonly outcome: string;
  readonly fault?: string;
}

/** A response as far as it was read. */
export interface Answered {
  readonly status: number;
  readonly headers: readonly string[];
  readonly pieces: readonly Buffer[];
  /** Whether it is complete. */
  readonly isWhole: boolean;
}

const SEARCH_TOOL = 'gateway_search_tools';

/**
 * The name in plain text and in base64 at each alignment, without the characters that also encode
 * neighbouring bytes.
 */
const TRACES = [
  SEARCH_TOOL,
  ...[0, 1, 2].map((offset) => {
    const encoded = Buffer.from('x'.repeat(offset) + SEARCH_TOOL).toString('base64');
    return encoded.slice(offset === 0 ? 0 : offset + 1, -4);
  }),
];

/**
 * Judges a response: it must not be an error of the proxy's own unless the upstream broke off, and must never
 * name the search tool.
 */
export function judgeAnswered({ status, headers, pieces, isWhole }: Answered): Judgement {
  const outcome = `${status}${isWhole ? '' : ' broken'}`;
  const bytes = Buffer.concat(pieces);
  const text = decodeWhole(bytes, headers).toString('latin1');
  const trace = TRACES.find((name) => text.includes(name));
  if (trace !== undefined || headers.some((part) => part.includes(SEARCH_TOOL))) {
    return { outcome, fault: `the search tool is named: …${around(text, trace ?? SEARCH_TOOL)}…` };
  }
  if (status === 500 && text.includes('failed to forward'))
    return { outcome, fault: `a defect: ${text.slice(0, 200)}` };
  return { outcome };
}

function around(text: string, trace: string): string {
  const at = text.indexOf(trace);
  return text.slice(Math.max(0, at - 150), at + 50);
}
