/**
 * Tools by which agents talk to their user or plan their own work. A model that does not see them does not
 * search for them either: it proceeds without asking.
 *
 * Exact names only: `finish`, `plan` and `ask` occur in dozens of ordinary names. The names are those of
 * Claude Code, Cline, Roo Code, Codex, smolagents and similar agents.
 */
const NAMES = [
  'AskUserQuestion',
  'AskQuestion',
  'ask_user',
  'ask_followup_question',
  'request_user_input',
  'attempt_completion',
  'final_answer',
  'task_complete',
  'TodoWrite',
  'update_plan',
  'EnterPlanMode',
  'ExitPlanMode',
  'plan_mode_respond',
  'notify_user',
  'message_user',
];

/** Whether a tool is an interaction tool, by its whole name, ignoring case and separators. */
export function isInteractionTool(name: string): boolean {
  return folded.has(fold(name));
}

function fold(name: string): string {
  return name.replace(/[\s_.-]+/g, '').toLowerCase();
}

const folded: ReadonlySet<string> = new Set(NAMES.map(fold));
