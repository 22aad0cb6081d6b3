import { z } from 'zod';

/** Why a request of a known format is forwarded as it is, as far as its format can tell. */
export const BypassReason = z.enum([
  'no_function_tools',
  'several_choices',
  'legacy_functions',
  'client_defers',
  'name_collision',
  /** Its `tool_choice` names the search tool, of which it has none. */
  'search_tool_forced',
  'assistant_prefill',
  'continued_thread',
  /** The response is made in the background: nobody is there to answer its searches. */
  'background',
  /** It is for an agent of the provider's, which has tools of its own and calls them itself. */
  'agent',
  /** The provider adds every item to a conversation of the client's, hidden ones too. */
  'conversation',
  /** A template that the provider stores may bring tools of its own. */
  'stored_prompt',
  /** A function of which the results come whenever they are there. */
  'async_tools',
  /** It refers to tools that the provider has in its cache. */
  'cached_content',
]);
export type BypassReason = z.infer<typeof BypassReason>;

/** Why a body could not be read. It is forwarded as it is: the provider knows best what to say about it. */
export const UnreadableReason = z.enum([
  'not_utf8',
  /** It holds so many JSON values that parsing it would harm other requests. */
  'too_many_values',
  'not_json',
  'unknown_shape',
  /** Other requests hold the memory that reading this one would take. */
  'short_of_memory',
]);
export type UnreadableReason = z.infer<typeof UnreadableReason>;

/** Why a request is left alone: what its format says, and what only the proxy knows. */
export const LeaveReason = z.enum([
  ...BypassReason.options,
  ...UnreadableReason.options,
  /** Its client defers tools by itself, and its upstream cannot: it was rewritten for that one (`upstreams.{name}.polyfill`). */
  'polyfilled',
  /** The strategy alters nothing. */
  'passthrough',
  /** There are not enough tools for choosing among them to gain anything. */
  'few_tools',
  /** Leaving out what may be deferred would save fewer tokens than `min_deferred_tokens`. */
  'few_tokens',
  /** More tools than can be handled beside other requests: 20,000, or 16 MiB of them. */
  'too_many_tools',
  /** The model's thinking is bound to its tools, and no way of deferring them leaves those as they are. */
  'thinking_bound',
  /** The upstream has refused this conversation in any other form. */
  'refused_before',
  /** Its client has signed it for the upstream's own host, and the proxy has no credentials to sign it anew. */
  'signed_request',
  /** The body's `content-encoding` is unknown or broken: only the upstream can say what to do about it. */
  'undecodable_body',
  /** A defect of the proxy's own while it read the request or planned; logged. */
  'plan_failed',
]);
export type LeaveReason = z.infer<typeof LeaveReason>;

/** Why the tools of a request were treated as they were. */
export const PlanReason = z.enum([
  'deferred',
  ...LeaveReason.options,
  /** The arm alters nothing, or the exchange failed before its tools were looked at. */
  'not_read',
]);
export type PlanReason = z.infer<typeof PlanReason>;

/** Why the original bytes were sent after edited ones. */
export const RestoreReason = z.enum([
  /** The upstream refused the edited request with 400, 404, 413 or 422. */
  'upstream_rejected_edit',
  /** A later request of the exchange failed before the client had seen anything. */
  'later_round_failed',
  /** A response could not be read before the client had seen anything. */
  'answer_unreadable',
  /** A defect of the proxy's own, before the client had seen anything; logged. */
  'defect',
]);
export type RestoreReason = z.infer<typeof RestoreReason>;

/** How a request to the upstream within a search loop failed. */
export const RoundFailureReason = z.enum([
  /** The upstream answered with an error status. */
  'refused',
  /** There was no response. */
  'unreachable',
  /** The response ended in the middle. */
  'truncated',
  /** The upstream sent an error within its response. */
  'upstream_error',
  /** What came is no response of the format. */
  'malformed_answer',
  /** More would have had to be held back than may be. */
  'held_too_much',
  /** It was given up. */
  'interrupted',
]);

/** Why a search found nothing that can be used; every one of them makes the exchange fail open. */
export const SearchFailure = z.enum([
  /** No endpoint is configured. */
  'missing_api_endpoint',
  /** The model searched for nothing, or its arguments could not be read. */
  'empty_query',
  /** No connection, a response that is not 2xx, or one that is no selection. */
  'api_error',
  /** No whole response within the deadline. */
  'api_timeout',
  /** The selector failed so often that it is left alone for a while. */
  'circuit_open',
  /** A response without a name, although it does not say that nothing matched. */
  'empty_selection',
  /** A response whose names are all unknown. */
  'unknown_selection_names',
  /** The client left while the search ran: nobody is there to answer. */
  'client_gone',
]);
export type SearchFailure = z.infer<typeof SearchFailure>;

/** Why an exchange is in its arm. */
export const RolloutReason = z.enum([
  /** Tool discovery is not enabled, or its strategy is `passthrough`. */
  'switched_off',
  'rollout_off',
  'rollout_dark',
  'rollout_shadow',
  'rollout_full',
  /** `partial`, and the session is among the percentage that is on. */
  'inside_percent',
  /** `partial`, and the session is not. */
  'outside_percent',
  /** `partial`, and nothing tells the session apart. */
  'no_session',
  /** The request asked for it by `x-winnow-mode`. */
  'overridden',
]);
export type RolloutReason = z.infer<typeof RolloutReason>;
