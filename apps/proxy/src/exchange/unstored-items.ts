import { RecentMap } from '@winnow/service';
import type { Format } from '@winnow/wire';
import type { ModelPlace } from '../strategies/load-modes.ts';
import { UpstreamBody } from '../upstream/upstream-body.ts';
import type { UpstreamResponse } from '../upstream/upstream-client.ts';
import { readUpTo } from './read-up-to.ts';

/** Places that are remembered; forgetting one costs a request that is sent twice. */
const MAX_PLACES = 1_000;

/** Of a model's name in a key: clients may write what they like into it. */
const MODEL_CHARS = 256;

/** Upstreams and models that have refused items of hidden rounds because of their ids, which they do not store. */
export class UnstoredItems {
  readonly #refused = new RecentMap<string, true>(MAX_PLACES);

  /** Whether items are to go back there without their ids. */
  isRefusedBy(place: ModelPlace): boolean {
    return this.#refused.get(keyOf(place)) === true;
  }

  noteRefusal(place: ModelPlace): void {
    this.#refused.set(keyOf(place), true);
  }
}

function keyOf({ upstream, model }: ModelPlace): string {
  return JSON.stringify([upstream.name, model?.slice(0, MODEL_CHARS)]);
}

/** An error is a sentence; what is longer than this is cut. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** What a refusal says of unstored items, and the same response, which can still be read. */
export interface JudgedRefusal {
  readonly isAboutUnstored: boolean;
  readonly response: UpstreamResponse;
}

/** Reads whether an error is about items that the upstream does not store. */
export async function judgeRefusal(response: UpstreamResponse, format: Format): Promise<JudgedRefusal> {
  if (!format.unstoredRefusal?.statuses.includes(response.status))
    return { isAboutUnstored: false, response };
  const body = new UpstreamBody({ pause: () => {}, resume: () => {}, abort: () => {} });
  let refusal: Buffer = Buffer.alloc(0);
  try {
    refusal = await readUpTo(response.body, MAX_ERROR_BYTES);
    body.push(refusal);
    body.finish();
  } catch (error) {
    body.fail(error as Error);
  }
  const isAboutUnstored = format.unstoredRefusal.words.test(refusal.toString('utf8'));
  return { isAboutUnstored, response: { ...response, body } };
}
