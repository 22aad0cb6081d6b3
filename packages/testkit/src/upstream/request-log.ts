import type { ReceivedRequest } from './received-request.ts';

/** The requests of one upstream in order of arrival. */
export interface RequestLog {
  readonly requests: readonly ReceivedRequest[];
  add(request: ReceivedRequest): void;
  /** Resolves with the request of that number, counted from 0, as soon as it has arrived. */
  received(number: number): Promise<ReceivedRequest>;
}

/** Creates an empty log. */
export function createRequestLog(): RequestLog {
  const requests: ReceivedRequest[] = [];
  const waiting = new Map<number, PromiseWithResolvers<ReceivedRequest>>();
  return {
    requests,
    add(request) {
      requests.push(request);
      waiting.get(request.number)?.resolve(request);
    },
    async received(number) {
      const arrived = requests.find((request) => request.number === number);
      if (arrived !== undefined) return arrived;
      const wait = waiting.get(number) ?? Promise.withResolvers<ReceivedRequest>();
      waiting.set(number, wait);
      return wait.promise;
    },
  };
}
