import { isTransportError } from '../http/is-transport-error.ts';
import { ProxyError } from '../http/proxy-error.ts';

/** Returns the error that a request's failure becomes. Defects also go to `onDefect`. */
export function toProxyError(error: unknown, onDefect: (error: unknown) => void): ProxyError {
  if (error instanceof ProxyError) return error;
  if (isTransportError(error)) {
    return new ProxyError('upstream_unreachable', 'The upstream ended its response too early.', {
      cause: error,
    });
  }
  onDefect(error);
  return new ProxyError('internal', 'The proxy failed to forward the request.', { cause: error });
}
