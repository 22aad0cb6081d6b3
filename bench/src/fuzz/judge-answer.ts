/** What a hostile client was answered: how it counts, and what is wrong with it, if anything. */
export interface Judgement {
  /** Such as `400`, or `closed` for a connection that was closed without an answer. */
  readonly outcome: string;
  readonly fault?: string;
}

/** Judges what a server wrote on one connection: an answer that a client can read, or nothing before it closed the connection. */
export function judgeAnswer(received: string): Judgement {
  if (received === '') return { outcome: 'closed' };
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  if (status === undefined) return { outcome: 'no HTTP', fault: `no HTTP: ${head.slice(0, 200)}` };
  if (status === '500') return { outcome: status, fault: `a defect: ${body.slice(0, 200)}` };
  // An upstream's own error may come in chunks.
  const isError =
    status >= '400' && /\r\ncontent-length:/i.test(head) && /\r\ncontent-type: application\/json/i.test(head);
  return isError && !hasMessage(body)
    ? { outcome: status, fault: `an error without a message: ${body.slice(0, 200)}` }
    : { outcome: status };
}

function hasMessage(body: string): boolean {
  try {
    return typeof JSON.parse(body).error.message === 'string';
  } catch {
    return false;
  }
}
