import type { RequestBody } from '../http/client-request.ts';
import type { UpstreamResponse } from './send-upstream.ts';

/** Sees what passes while an exchange is forwarded. Never changes, delays or begins the flow of a body, and never throws. */
export interface Tap {
  /** Before the body of the client's request flows. */
  seeRequest(body: RequestBody): void;
  /** Before the body of the upstream's response flows. */
  seeResponse(response: UpstreamResponse): void;
}
