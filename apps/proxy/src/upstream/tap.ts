import type { RequestBody } from '../http/client-request.ts';
import type { UpstreamResponse } from './send-upstream.ts';

/**
 * Observes the traffic of a forwarded exchange. Never changes, delays or starts the flow of a body, and never
 * throws.
 */
export interface Tap {
  /** Called before the body of the client's request flows. */
  seeRequest(body: RequestBody): void;
  /** Called before the body of the upstream's response flows. */
  seeResponse(response: UpstreamResponse): void;
}
