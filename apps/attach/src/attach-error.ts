import { ATTACH_ERRORS, type AttachErrorCode, type AttachErrorResponse } from '@winnow/core';
import { ApiError, type ApiErrorOptions } from '@winnow/service';
import { StoreFailure } from './guard/attach-store.ts';
import { LettaFailure } from './letta/read-answers.ts';

/** Ends an exchange with one of the service's error codes, which the contract's `ATTACH_ERRORS` lists with when each happens. */
export class AttachError extends ApiError {
  override readonly name = 'AttachError';
  declare readonly code: AttachErrorCode;

  constructor(code: AttachErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(code, ATTACH_ERRORS[code], message, options);
  }
}

/** The body of an error's response: callers of the contract look at `success` and `error`. */
export function writeAttachError({ code, message, details }: ApiError): AttachErrorResponse {
  return {
    success: false,
    error: message,
    code: code as AttachErrorCode,
    ...(details.length > 0 && { details: [...details] }),
  };
}

/**
 * Converts a failure of Letta or of the store, before anything was changed, into an error for the client; other
 * errors stay as they are.
 */
export function toAttachError(error: unknown): unknown {
  if (error instanceof StoreFailure)
    return new AttachError('store_unavailable', 'The store does not answer; nothing was changed.', {
      cause: error,
    });
  if (!(error instanceof LettaFailure)) return error;
  const options = { cause: error };
  switch (error.reason) {
    case 'not_found':
      return new AttachError('agent_not_found', 'Letta has no such agent.', options);
    case 'rejected':
      return new AttachError('invalid_request', 'This is not a valid agent id for Letta.', {
        ...options,
        details: [{ path: 'agent_id', message: 'Letta requires agent- followed by a UUID of version 4.' }],
      });
    case 'timeout':
      return new AttachError('letta_timeout', 'Letta did not answer in time; nothing was changed.', options);
    case 'unauthorized':
      return new AttachError(
        'letta_error',
        'Letta does not accept letta.password; nothing was changed.',
        options,
      );
    default:
      return new AttachError('letta_error', `Letta failed (${error.reason}); nothing was changed.`, options);
  }
}
