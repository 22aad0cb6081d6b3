import { judgeHttp2, readsAsHttp2 } from './judge-http2.ts';
import { BROKEN_STATUSES, hasMessage, type Judgement } from './judgement.ts';

/**
 * Judges the bytes that a server wrote on one connection, in either version of HTTP: a readable response, or
 * nothing before it closed the connection.
 */
export function judgeAnswer(received: string): Judgement {
  if (received === '') return { outcome: 'closed' };
  const bytes = Buffer.from(received, 'latin1');
  if (readsAsHttp2(bytes)) return judgeHttp2(bytes);
  // Interim responses may come first, and further responses may follow.
  const text = received.replace(/^(HTTP\/1\.1 1\d\d [^\r]*\r\n([^\r]+\r\n)*\r\n)+/, '');
  const headEnd = text.indexOf('\r\n\r\n');
  const head = text.slice(0, headEnd);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  const body = text.slice(headEnd + 4, headEnd + 4 + length);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  if (status === undefined) return { outcome: 'no HTTP', fault: `no HTTP: ${text.slice(0, 200)}` };
  if (BROKEN_STATUSES.includes(status)) return { outcome: status, fault: `broken: ${body.slice(0, 200)}` };
  // An upstream's own error may be chunked; its content is not judged.
  const isOurs = status >= '400' && /\r\ncontent-type: application\/json/i.test(head) && length > 0;
  return isOurs && !hasMessage(body)
    ? { outcome: status, fault: `an error without a message: ${body.slice(0, 200)}` }
    : { outcome: status };
}
