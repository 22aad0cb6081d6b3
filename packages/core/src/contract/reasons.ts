import { z } from 'zod';

/** Reason, determined by its format, for forwarding a request unchanged. */
export const BypassReason = z.enum([
  'no_function_tools',
  'several_choices',
  'legacy_functions',
  'client_defers',
  'name_collision',
  /** Its `tool_choice` names the search tool, but it has no such tool. */
  'search_tool_forced',
  'assistant_prefill',
  'continued_thread',
  /** The response is generated in the background, where the proxy cannot run its searches. */
  'background',
  /** The request is for a provider's agent, which has its own tools and calls them itself. */
  'agent',
  /** The provider adds every item, including hidden ones, to a conversation that the client sees. */
  'conversation',
  /** A template stored at the provider may bring its own tools. */
  'stored_prompt',
  /** Results of a function arrive asynchronously. */
  'async_tools',
  /** It refers to tools in the provider's cache. */
  'cached_content',
]);
export type BypassReason = z.infer<typeof BypassReason>;

/** Reason why a body could not be read. It is forwarded unchanged, because the provider can respond best. */
export const UnreadableReason = z.enum([
  'not_utf8',
  /** Parsing its many JSON values would delay other requests. */
  'too_many_values',
  'not_json',
  'unknown_shape',
  /** Other requests hold the memory that reading this one needs. */
  'short_of_memory',
]);
export type UnreadableReason = z.infer<typeof UnreadableReason>;

/** Reason for leaving a request unchanged: those of its format, and those only the proxy knows. */
export const LeaveReason = z.enum([
  ...BypassReason.options,
  ...UnreadableReason.options,
  /**
   * The client defers tools itself and the upstream cannot, so the request was rewritten for the upstream
   * (`upstreams.{name}.polyfill`).
   */
  'polyfilled',
  /** The strategy alters nothing. */
  'passthrough',
  /** There are too few tools for deferring to gain anything. */
  'few_tools',
  /** Deferring would save fewer tokens than `min_deferred_tokens`. */
  'few_tokens',
  /** The agent's conversations are expected to cost more with deferred tools than `tools.goal` allows. */
  'few_savings',
  /** More tools than the proxy can handle alongside other requests: over 20,000, or over 16 MiB. */
  'too_many_tools',
  /** The model's thinking is bound to its tools, and every way of deferring would change them. */
  'thinking_bound',
  /** The upstream has rejected every other form of this conversation. */
  'refused_before',
  /**
   * The client signed the request for the upstream's host, and the proxy has no credentials to sign it again.
   */
  'signed_request',
  /** The body's `content-encoding` is unknown or broken; only the upstream can respond to that. */
  'undecodable_body',
  /** A defect of the proxy while it read or planned the request; logged. */
  'plan_failed',
]);
export type LeaveReason = z.infer<typeof LeaveReason>;

/** Reason for the treatment of a request's tools. */
export const PlanReason = z.enum([
  'deferred',
  ...LeaveReason.options,
  /** The arm alters nothing, or the exchange failed before its tools were read. */
  'not_read',
]);
export type PlanReason = z.infer<typeof PlanReason>;

/** Reason for sending the original bytes after edited ones. */
export const RestoreReason = z.enum([
  /** The upstream rejected the edited request with 400, 404, 413 or 422. */
  'upstream_rejected_edit',
  /** A later request of the exchange failed before the client received anything. */
  'later_round_failed',
  /** A response was unreadable, and the client had not received anything. */
  'answer_unreadable',
  /** A defect of the proxy before the client received anything; logged. */
  'defect',
]);
export type RestoreReason = z.infer<typeof RestoreReason>;

/** Failure of an upstream request within a search loop. */
export const RoundFailureReason = z.enum([
  /** The upstream responded with an error status. */
  'refused',
  /** The upstream sent no response. */
  'unreachable',
  /** The response ended early. */
  'truncated',
  /** The upstream sent an error within its response. */
  'upstream_error',
  /** The response does not have the expected format. */
  'malformed_answer',
  /** The response exceeds the budget for reading it, or the bytes to hold back. */
  'held_too_much',
  /** The request was cancelled. */
  'interrupted',
]);

/** Reason why a search gave no usable result; each of them makes the exchange fail open. */
export const SearchFailure = z.enum([
  /** No endpoint is configured. */
  'missing_api_endpoint',
  /** The model's query was empty, or its arguments were unreadable. */
  'empty_query',
  /** No connection, a non-2xx response, or a response that is not a selection. */
  'api_error',
  /** No complete response within the deadline. */
  'api_timeout',
  /** The selector failed repeatedly and is not called for a while. */
  'circuit_open',
  /** A response without names that does not say that nothing matched. */
  'empty_selection',
  /** A response that names only unknown tools. */
  'unknown_selection_names',
  /** The client left while the search ran. */
  'client_gone',
]);
export type SearchFailure = z.infer<typeof SearchFailure>;

/** Reason for an exchange's arm. */
export const RolloutReason = z.enum([
  /** Tool discovery is not enabled, or its strategy is `passthrough`. */
  'switched_off',
  'rollout_off',
  'rollout_dark',
  'rollout_shadow',
  'rollout_full',
  /** `partial`, and the session is within the enabled percentage. */
  'inside_percent',
  /** `partial`, and the session is not. */
  'outside_percent',
  /** `partial`, and the request identifies no session. */
  'no_session',
  /** The request chose the arm by `x-winnow-mode`. */
  'overridden',
]);
export type RolloutReason = z.infer<typeof RolloutReason>;
