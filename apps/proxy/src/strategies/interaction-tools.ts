/**
 * Tools by which agents talk to their user or steer their own work. A model that does not see them does not search for them: it goes on
 * without asking.
 *
 * Exact names only: `finish`, `plan` and `ask` occur in dozens of ordinary names. The names are those of Claude Code, Cline, Roo Code,
 * Codex, smolagents and their kin.
 */
const NAMES = [
  'AskUserQuestion',
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

/** Whether a tool is one of interaction, by its whole name; case and separators do not count. */
export function isInteractionTool(name: string): boolean {
  return folded.has(fold(name));
}

function fold(name: string): string {
  return name.replace(/[\s_.-]+/g, '').toLowerCase();
}

const folded: ReadonlySet<string> = new Set(NAMES.map(fold));
