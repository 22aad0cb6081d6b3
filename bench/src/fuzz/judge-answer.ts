/** What a hostile client was answered: how it counts, and what is wrong with it, if anything. */
export interface Judgement {
  /** Such as `400`, or `closed` for a connection that was closed without an answer. */
  readonly outcome: string;
  readonly fault?: string;
}

/** Statuses with which a service says that it, or what it stands in front of, is broken. */
const BROKEN = ['500', '502'];

/** Judges what a server wrote on one connection: an answer that a client can read, or nothing before it closed the connection. */
export function judgeAnswer(received: string): Judgement {
  if (received === '') return { outcome: 'closed' };
  // An answer may be announced, and others may stand behind it.
  const text = received.replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n([^\r]+\r\n)*\r\n)+/, '');
  const headEnd = text.indexOf('\r\n\r\n');
  const head = text.slice(0, headEnd);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  const body = text.slice(headEnd + 4, headEnd + 4 + length);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  if (status === undefined) return { outcome: 'no HTTP', fault: `no HTTP: ${text.slice(0, 200)}` };
  if (BROKEN.includes(status)) return { outcome: status, fault: `broken: ${body.slice(0, 200)}` };
  // An upstream's own error may come in chunks; those are its own affair.
  const isOurs = status >= '400' && /\r\ncontent-type: application\/json/i.test(head) && length > 0;
  return isOurs && !hasMessage(body)
    ? { outcome: status, fault: `an error without a message: ${body.slice(0, 200)}` }
    : { outcome: status };
}

function hasMessage(body: string): boolean {
  try {
    // Bedrock's errors have it at the outside.
    const { error, message = error?.message } = JSON.parse(body);
    return typeof message === 'string';
  } catch {
    return false;
  }
}
