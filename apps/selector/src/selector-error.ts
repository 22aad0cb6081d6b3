import { ERRORS, type ErrorCode } from '@winnow/core';
import { ApiError, type ApiErrorOptions } from '@winnow/service';

/** Ends an exchange with one of the selector's error codes; `ERRORS` in the contract documents them. */
export class SelectorError extends ApiError {
  override readonly name = 'SelectorError';
  declare readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(code, ERRORS[code], message, options);
  }
}
