import { z } from 'zod';

/** Outcome of a client's request for the registry's tools (`x-winnow-registry-tools: on`). */
export const RegistryOffer = z.enum([
  /** The three tools were added to the request's own. */
  'made',
  /** The settings do not offer the registry's tools. */
  'switched_off',
  /** The request is left unchanged for another reason, given by `planReason`. */
  'left_alone',
  /** The client has a tool with one of their names, or has called one. */
  'name_collision',
  /** The client's `tool_choice` forbids or forces calls. */
  'tool_choice',
  /** The request's declarations leave no room for functions. */
  'no_room',
  /** Other requests hold the memory that the offer needs. */
  'short_of_memory',
  /** The registry failed repeatedly and is not called for a while. */
  'registry_away',
]);
export type RegistryOffer = z.infer<typeof RegistryOffer>;

/** Outcome of a call of an offered tool. The model sees all but `ok` as errors. */
export const RegistryCallOutcome = z.enum([
  'ok',
  /** The registry, or the tool's server, responded with an error. */
  'tool_error',
  /** No trusted server declares the tool read-only, so it was not called. */
  'not_read_only',
  /** The tool asks for input, which the proxy cannot give. */
  'input_required',
  /** The arguments were unreadable. */
  'invalid_arguments',
  /** The exchange has reached its limit of calls or of result length. */
  'limit',
  /** The registry refused the token. */
  'forbidden',
  /** No connection, or a 5xx status. */
  'unreachable',
  /** No complete response within the time limit. */
  'timed_out',
  /** The response is not a result, or is too large to read. */
  'bad_answer',
  /** The registry failed repeatedly and is not called for a while. */
  'circuit_open',
  /** The client left while the call ran. */
  'client_gone',
]);
export type RegistryCallOutcome = z.infer<typeof RegistryCallOutcome>;

/** One call of an offered tool. Never contains its arguments or result. */
export const RegistryCall = z.object({
  tool: z.enum(['search_tools', 'call_tool', 'describe_tools']),
  outcome: RegistryCallOutcome,
  /** Length of the result that the model reads. */
  chars: z.int().min(0),
  /** The HTTP status of the registry; absent if it sent none. */
  status: z.int().optional(),
  /** The system error code of a failed connection, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
  ms: z.number().min(0),
});
export type RegistryCall = z.infer<typeof RegistryCall>;
