export type Revision = '2025-11-25' | '2026-07-28';

/** Checks that do not pass through the front door, for one reason. */
export interface FailingChecks {
  readonly reason: string;
  /** `scenario: check`. */
  readonly checks: readonly string[];
}

/** All checks that do not pass: a test fails when one of them passes, and when another one does not. */
export const FAILING: Readonly<Record<Revision, readonly FailingChecks[]>> = {
  '2025-11-25': [
    {
      reason: 'Servers that ask the client in the middle of a call need a session of their own with it.',
      checks: [
        'elicitation-sep1034-defaults: elicitation-sep1034-general',
        'elicitation-sep1330-enums: elicitation-sep1330-general',
        'tools-call-elicitation: tools-call-elicitation',
        'tools-call-sampling: tools-call-sampling',
      ],
    },
    {
      reason: 'Log messages are of a connection that callers share, so one would read those of another.',
      checks: ['logging-set-level: logging-set-level', 'tools-call-with-logging: tools-call-with-logging'],
    },
    {
      reason: 'Updates would come on a stream of a session, and no instance keeps sessions over HTTP.',
      checks: ['resources-subscribe: resources-subscribe', 'resources-unsubscribe: resources-unsubscribe'],
    },
  ],
  '2026-07-28': [
    {
      reason: 'The fixture has no tool with header parameters; the suite does not score these checks.',
      checks: [
        'http-custom-header-server-validation: sep-2243-server-no-xmcp-tool',
        'http-custom-header-server-validation: sep-2243-server-decode-base64',
        'http-custom-header-server-validation: sep-2243-server-validate-param-match',
        'http-custom-header-server-validation: sep-2243-server-reject-invalid-param-chars',
        'http-custom-header-server-validation: sep-2243-server-reject-param-mismatch',
      ],
    },
    {
      reason: 'The extension for tasks is not relayed; the suite does not score it.',
      checks: [
        'tasks-capability-negotiation: tasks-extension-advertised',
        'tasks-capability-negotiation: sep-2663-tasks-methods-non-declaring',
        'tasks-capability-negotiation: sep-2663-server-rejects-undeclared-client',
        'tasks-capability-negotiation: tasks-per-request-meta-opt-in',
        'tasks-dispatch-and-envelope: tasks-server-directed-creation-no-hint',
        'tasks-dispatch-and-envelope: sep-2663-legacy-task-param-ignored',
        'tasks-dispatch-and-envelope: tasks-immediate-result-shortcut',
        'tasks-dispatch-and-envelope: tasks-result-type-complete-on-non-task-responses',
        'tasks-dispatch-and-envelope: sep-2663-durable-create-strong-consistency',
        'tasks-dispatch-and-envelope: sep-2663-tasks-get-invalid-task-id-32602',
        'tasks-lifecycle: tasks-sync-tool-call',
        'tasks-lifecycle: sep-2663-result-type-task-on-create',
        'tasks-lifecycle: sep-2663-tasks-get-status-working',
        'tasks-lifecycle: sep-2663-tasks-get-status-completed',
        'tasks-lifecycle: sep-2663-tool-error-uses-completed-status',
        'tasks-lifecycle: sep-2663-tasks-get-status-failed',
        'tasks-lifecycle: sep-2663-cancel-ack-empty-result',
        'tasks-lifecycle: tasks-cancel-terminal-idempotent-ack',
        'tasks-mrtr-composition: sep-2663-mrtr-synchronous-before-task-creation',
        'tasks-mrtr-input: sep-2663-tasks-get-status-input-required',
        'tasks-mrtr-input: tasks-mrtr-tasks-update-resumes',
        'tasks-mrtr-input: tasks-mrtr-partial-fulfillment',
        'tasks-request-headers: tasks-headers-tolerate-mcp-method-on-tools-call',
        'tasks-request-headers: sep-2663-routing-headers-accepted-on-tasks-get',
        'tasks-request-headers: sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get',
        'tasks-request-state-removal: tasks-request-state-removal-setup',
        'tasks-required-task-error: sep-2663-server-returns-missing-capability-when-required',
        'tasks-wire-fields: tasks-wire-field-renames',
        'tasks-wire-fields: tasks-no-early-ttl-expiry',
        'tasks-wire-fields: tasks-no-related-task-meta-on-inlined-result',
      ],
    },
  ],
};
