import { REGISTRY_ERRORS, type RegistryErrorCode } from '@winnow/core';
import type { Outcome, Refusal } from '@winnow/registry';
import { ApiError, type ApiErrorOptions } from '@winnow/service';

/** Ends an exchange with one of the registry's error codes, which the contract's `REGISTRY_ERRORS` lists with when each happens. */
export class RegistryError extends ApiError {
  override readonly name = 'RegistryError';
  declare readonly code: RegistryErrorCode;

  constructor(code: RegistryErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(code, REGISTRY_ERRORS[code], message, options);
  }
}

/** Returns the value of an outcome; throws a refusal as an error. The only place that maps problems to HTTP. */
export function unwrap<Value>(outcome: Outcome<Value>): { readonly ok: true } & Value {
  if (outcome.ok) return outcome;
  throw toError(outcome);
}

/** Creates the error for a tool that does not exist or is out of the caller's sight. */
export function noSuchTool(): RegistryError {
  return new RegistryError('not_found', 'There is no such tool.');
}

function toError({ code, problems }: Refusal): RegistryError {
  const [first] = problems;
  // The message names the first of several problems; `details` lists all.
  const message =
    problems.length === 1
      ? first!.message
      : `${problems.length} problems, first at ${first!.path}: ${first!.message}`;
  const details = problems
    .filter(({ path }) => path !== '')
    .map(({ path, message: said }) => ({ path, message: said }));
  return new RegistryError(code, message, { details });
}
