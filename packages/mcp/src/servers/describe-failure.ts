import { parseJson } from '@winnow/core';
import { causeCode } from '@winnow/service';
import { CallProblem } from './call-problem.ts';
import type { ClientLibrary } from './load-client.ts';
import { LIMITS_TEXT } from './message-limits.ts';
import type { Redactor } from './redact.ts';
import { ServerProblem } from './server-problem.ts';

/**
 * Converts an error of the vendor's client, the network or a process to a problem. Quotes external texts without the
 * secrets of the server's configuration.
 */
export function describeFailure(error: unknown, library: ClientLibrary, redactor: Redactor): ServerProblem {
  if (error instanceof ServerProblem) return error;
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } = library;
  const problem = (code: ServerProblem['code'], message: string) =>
    new ServerProblem(code, message, undefined);
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
  if (SdkHttpError.isInstance(error)) {
    const { status } = error;
    if (status === 401 || status === 403)
      return problem('unauthorized', `It requires credentials, or different ones (HTTP ${status}).`);
    return problem(
      status !== undefined && status >= 500 ? 'unreachable' : 'bad_answer',
      `It answered with HTTP ${status ?? 'status unknown'}.`,
    );
  }
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return problem('timed_out', 'It did not answer in time.');
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected)
      return problem('unreachable', 'The connection was closed.');
    if (code !== undefined) return problem('unreachable', `No connection (${code}).`);
    if (/fetch failed/.test(said)) return problem('unreachable', 'No connection.');
    return problem('bad_answer', `It does not follow the protocol: ${said}`);
  }
  if (code !== undefined) return problem('unreachable', `No connection (${code}).`);
  return problem('bad_answer', `It cannot be used: ${said}`);
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
): CallProblem {
  const { ProtocolError } = library;
  if (ProtocolError.isInstance(error)) {
    const { code, data } = error;
    const message = redactor.redact(error.message);
    const rpcError = { code, message, ...(data !== undefined && { data: redactData(data, redactor) }) };
    return new CallProblem(
      'refused',
      `The server "${server}" answered with error ${code}: ${redactor.quote(message)}`,
      rpcError,
    );
  }
  const { code, message } = describeFailure(error, library, redactor);
  const told = `The server "${server}" gave no result. ${message}`;
  if (code === 'timed_out') return new CallProblem('timed_out', told);
  return new CallProblem(code === 'bad_answer' ? 'bad_answer' : 'server_unreachable', told);
}

/** Undefined when a secret looks like JSON. */
function redactData(data: unknown, redactor: Redactor): unknown {
  return parseJson(redactor.redact(JSON.stringify(data)));
}
