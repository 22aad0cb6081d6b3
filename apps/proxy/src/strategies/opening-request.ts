import { endsOfMessage } from './ends-of-message.ts';

/**
 * What the user asks for at the beginning of a conversation: the first message of the user's that says something when the blocks that agents
 * insert are left out. Empty when there is none. Of a very long one its two ends.
 *
 * @param openingTexts texts of the user messages before the model's first turn.
 */
export function openingRequest(openingTexts: readonly string[]): string {
  for (const text of openingTexts) {
    const words = withoutInsertedBlocks(text).trim();
    if (words !== '') return endsOfMessage(words);
  }
  return '';
}

/**
 * Elements that agents write into user messages, by their names: reminders, what is known of the machine and the workspace, project
 * instructions, output of commands. What the user has written stands beside them, or in elements of other names (`task`, `userRequest`).
 *
 * Sources: requests of Claude Code, Codex, Cline, Roo Code, GitHub Copilot and Gemini CLI as their public sources make them.
 */
const INSERTED = [
  'system-reminder',
  'local-command-caveat',
  'local-command-stdout',
  'command-message',
  'environment_context',
  'environment_details',
  'environment_info',
  'workspace_info',
  'session_context',
  'user_instructions',
  'INSTRUCTIONS',
  'reminderInstructions',
];

/** One pass for each name: an element that is never closed ends it. */
function withoutInsertedBlocks(text: string): string {
  if (!text.includes('</')) return text;
  return INSERTED.reduce((rest, name) => withoutElements(rest, `<${name}>`, `</${name}>`), text);
}

function withoutElements(text: string, opening: string, closing: string): string {
  let rest = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(opening, at);
    const end = start < 0 ? -1 : text.indexOf(closing, start + opening.length);
    if (end < 0) return rest + text.slice(at);
    rest += `${text.slice(at, start)}\n`;
    at = end + closing.length;
  }
}
