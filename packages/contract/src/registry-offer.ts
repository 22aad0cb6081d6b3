import { z } from 'zod';

/** What became of a client's wish for the registry's tools (`x-winnow-registry-tools: on`). */
export const RegistryOffer = z.enum([
  /** The request had the three tools beside its own. */
  'made',
  /** The settings offer none. */
  'switched_off',
  /** The request is left alone for another reason, which `planReason` says. */
  'left_alone',
  /** The client has a tool of one of their names, or has called one. */
  'name_collision',
  /** The client's `tool_choice` forbids or forces calls. */
  'tool_choice',
  /** What the request declares leaves no room for functions. */
  'no_room',
  /** Other requests hold the memory that it would take. */
  'short_of_memory',
  /** The registry has failed so often that it is left alone for a while. */
  'registry_away',
]);
export type RegistryOffer = z.infer<typeof RegistryOffer>;

/** What a call of an offered tool came to. Everything but `ok` is an error that the model reads. */
export const RegistryCallOutcome = z.enum([
  'ok',
  /** The registry, or the tool's server, answered with an error. */
  'tool_error',
  /** Nobody trusted says that the tool only reads: it was not called. */
  'not_read_only',
  /** The tool asks back, and there is nobody to ask. */
  'input_required',
  /** The arguments could not be read. */
  'invalid_arguments',
  /** The exchange has called often enough, or its results are as long as they may be. */
  'limit',
  /** The registry refused the token. */
  'forbidden',
  /** No connection, or a status from 500 on. */
  'unreachable',
  /** No whole response within the time limit. */
  'timed_out',
  /** What came is no result, or is too large to be read. */
  'bad_answer',
  /** The registry has failed so often that it is left alone for a while. */
  'circuit_open',
  /** The client left while the call ran. */
  'client_gone',
]);
export type RegistryCallOutcome = z.infer<typeof RegistryCallOutcome>;

/** One call of an offered tool. What was asked and answered is never in it. */
export const RegistryCall = z.object({
  tool: z.enum(['search_tools', 'call_tool', 'describe_tools']),
  outcome: RegistryCallOutcome,
  /** Of what the model reads as its result. */
  chars: z.int().min(0),
  /** The HTTP status of the registry; absent where none came. */
  status: z.int().optional(),
  /** The system's code where the connection failed, such as `ECONNREFUSED`. */
  cause: z.string().optional(),
  ms: z.number().min(0),
});
export type RegistryCall = z.infer<typeof RegistryCall>;
