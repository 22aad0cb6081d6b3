import { decodeWhole } from './decode-leniently.ts';

/** What a well-behaved client got of a hostile upstream: how it counts, and what is wrong with it, if anything. */
export interface Judgement {
  /** Such as `200`, `200 broken`, or `closed` for a connection that was closed without a response. */
  readonly outcome: string;
  readonly fault?: string;
}

/** A response as far as it was read. */
export interface Answered {
  readonly status: number;
  readonly headers: readonly string[];
  readonly pieces: readonly Buffer[];
  /** Whether it came to its end. */
  readonly isWhole: boolean;
}

const SEARCH_TOOL = 'gateway_search_tools';

/** The name, and how it reads within base64, wherever it begins there: without the characters that also hold bits of what stands around it. */
const TRACES = [
  SEARCH_TOOL,
  ...[0, 1, 2].map((offset) => {
    const encoded = Buffer.from('x'.repeat(offset) + SEARCH_TOOL).toString('base64');
    return encoded.slice(offset === 0 ? 0 : offset + 1, -4);
  }),
];

/** Judges a response: it is never an error of the proxy's own making but for an upstream that breaks off, and never names the search tool. */
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
