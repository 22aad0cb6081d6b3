import { keptMember, parseKept, removeInvisible, writeKept } from '@winnow/core';
import { isJsonObject } from '@winnow/registry';
import { causeCode } from '@winnow/service';
import { CallProblem, FAILURES, type FailureKind, type RpcError, ServerProblem } from './failures.ts';
import type { ClientLibrary } from './load-client.ts';
import { LIMITS_TEXT } from './server-connection.ts';

/**
 * Converts an error of the vendor's client, the network or a process to a problem. Quotes external texts without the
 * secrets of the server's configuration.
 *
 * @param hasSession Whether the request was sent in a session of the server.
 */
export function describeFailure(
  error: unknown,
  library: ClientLibrary,
  redactor: Redactor,
  hasSession = false,
): ServerProblem {
  if (error instanceof ServerProblem) return error;
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } = library;
  const problem = (code: ServerProblem['code'], message: string, failure?: FailureKind) =>
    new ServerProblem(code, message, { failure });
  const said = redactor.quote(error instanceof Error ? error.message : String(error));
  // The client's own errors have codes, too, which say nothing of the network.
  const code = causeCode(SdkError.isInstance(error) ? (error.cause ?? causeIn(error.data)) : error);
  if (code === 'EPRIVATE')
    return problem('address_refused', 'Its address is private, and deny_private is on.');
  if (code === 'ETOOLARGE') return problem('bad_answer', `Its answer is ${LIMITS_TEXT}.`);
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR')
    return problem('cannot_start', `The command cannot be started (${code}).`);
  if (/redirect/i.test(said))
    return problem(
      'address_refused',
      'It answered with a redirect to another address, which is not followed.',
    );
  if (ProtocolError.isInstance(error))
    return problem('refused', `It answered with error ${error.code}: ${said}`);
  if (UnauthorizedError.isInstance(error))
    return problem('unauthorized', 'It requires credentials, or different ones (HTTP 401).');
  if (SdkHttpError.isInstance(error)) return describeHttp(error, redactor, hasSession);
  if (code !== undefined) return problem('unreachable', `No connection (${code}).`, failureOfCode(code));
  if (/process has ended/.test(said)) return problem('unreachable', said, 'connection_lost');
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout)
      return problem('timed_out', 'It did not answer in time.', 'timed_out');
    if (error.code === SdkErrorCode.NotConnected)
      return problem('unreachable', 'The connection was closed.', 'connection_lost');
    if (error.code === SdkErrorCode.ConnectionClosed)
      return problem('unreachable', 'The connection was closed.', 'connection_broken');
    if (/fetch failed/.test(said)) return problem('unreachable', 'No connection.');
    return problem('bad_answer', `It does not follow the protocol: ${said}`);
  }
  return problem('bad_answer', `It cannot be used: ${said}`);
}

/** Codes of connections that were there. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED', 'UND_ERR_BODY_TIMEOUT']);

function failureOfCode(code: string): FailureKind {
  return BROKEN.has(code) ? 'connection_broken' : 'unreachable';
}

/** An error of the vendor's client for a response with a status of HTTP. */
interface HttpError {
  readonly status?: number | undefined;
  readonly data?: unknown;
}

/**
 * Describes a response with an error's status. Servers are to answer 404 for a session that they have lost; some answer 400 and say so.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
function describeHttp(error: HttpError, redactor: Redactor, hasSession: boolean): ServerProblem {
  const { status } = error;
  const { text, statusText = '' } = (error.data ?? {}) as { text?: string | null; statusText?: string };
  const words = redactor.quote(text ?? '');
  const wait = /^Retry-After: .*/.exec(statusText)?.[0];
  const message = `It answered with HTTP ${status ?? 'status unknown'}${words === '' ? '' : `: ${words}`}${wait === undefined ? '.' : `. ${wait}`}`;
  const of = (code: ServerProblem['code'], failure: FailureKind) =>
    new ServerProblem(code, message, { failure });
  if (hasSession && (status === 404 || (status === 400 && /session/i.test(words))))
    return of('unreachable', 'session_lost');
  if (status === 401)
    return new ServerProblem('unauthorized', 'It requires credentials, or different ones (HTTP 401).');
  if (status === 403) return of('unauthorized', 'forbidden');
  if (status === 429) return of('unreachable', 'rate_limited');
  return status !== undefined && status >= 500
    ? of('unreachable', 'server_error')
    : of('bad_answer', 'bad_request');
}

/** Some of the client's errors keep their cause among their other data. */
function causeIn(data: unknown): unknown {
  return (data as { cause?: unknown } | undefined)?.cause;
}

/** Converts an error of a call to a problem for the caller. */
export function toCallProblem(
  server: string,
  error: unknown,
  library: ClientLibrary,
  redactor: Redactor,
  hasSession = false,
): CallProblem {
  const answered = rpcErrorOf(error, library);
  const problem = describeFailure(error, library, redactor, hasSession);
  if (answered !== undefined && problem.failure !== 'session_lost') {
    const { code, data } = answered;
    const message = redactor.redact(answered.message);
    const rpcError = { code, message, ...(data !== undefined && { data: redactData(data, redactor) }) };
    return new CallProblem(
      'refused',
      `The server "${server}" answered with error ${code}: ${redactor.quote(message)}`,
      rpcError,
    );
  }
  return callProblem(server, problem);
}

/** Returns the problem that a caller reads. */
export function callProblem(server: string, { failure, message }: ServerProblem): CallProblem {
  const { code } = FAILURES[failure];
  const effect = failure === 'connection_broken' ? ' The request may have had its effect.' : '';
  return new CallProblem(
    code,
    `The server "${server}" gave no result. ${message}${effect}`,
    undefined,
    failure,
  );
}

/** Returns the error of JSON-RPC that a server answered with, whatever the status of its response. */
function rpcErrorOf(error: unknown, { ProtocolError, SdkHttpError }: ClientLibrary): RpcError | undefined {
  if (ProtocolError.isInstance(error)) return error;
  if (!SdkHttpError.isInstance(error)) return undefined;
  const { text } = (error.data ?? {}) as { text?: string | null };
  const body = parseKept(text ?? '');
  const answer = isJsonObject(body) ? keptMember(body, 'error') : undefined;
  const { code, message } = isJsonObject(answer) ? answer : {};
  const data = isJsonObject(answer) ? keptMember(answer, 'data') : undefined;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message, ...(data !== undefined && { data }) };
}

/** Undefined when a secret looks like JSON. */
function redactData(data: unknown, redactor: Redactor): unknown {
  return parseKept(redactor.redact(writeKept(data)));
}

/** Shorter texts are not secrets, and without them a message would be unreadable. */
const LEAST_SECRET_CHARS = 5;
const MAX_MESSAGE_CHARS = 300;

/** Takes secrets out of texts. More may be learnt while it is in use. */
export class Redactor {
  #secrets: readonly string[] = [];

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    if (secret.length < LEAST_SECRET_CHARS || this.#secrets.includes(secret)) return;
    // The longest first, so that no part of one is left when another is within it.
    this.#secrets = [...new Set([...this.#secrets, secret, ...inBase64(secret)])].sort(
      (a, b) => b.length - a.length,
    );
  }

  /** The text with each secret as `***`. */
  redact(text: string): string {
    return this.#secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
  }

  /** Returns a text from outside for use in a message or a log line: without secrets, in one line, shortened. */
  quote(text: string, maxChars: number = MAX_MESSAGE_CHARS): string {
    // Cut first: a server may answer with megabytes. Twice as much, so that a secret is not cut in half.
    const start = text.slice(0, 2 * maxChars + 4_096);
    return removeInvisible(this.redact(start)).replace(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed();
  }
}

/**
 * Base64 of a secret, alone or anywhere in a longer text, in both alphabets. Which digits it gives depends on the bytes
 * before it, modulo three; digits that share bits with its neighbours are left out.
 */
function inBase64(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const own = digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return own.length < LEAST_SECRET_CHARS ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
