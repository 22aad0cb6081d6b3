import { endsOfMessage } from './ends-of-message.ts';

/**
 * Returns the user's request at the start of a conversation: the first user message with content after
 * removing the blocks that agents insert. Empty if there is none. Only the two ends of a very long one.
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
 * Elements that agents insert into user messages, by name: reminders, facts about the machine and the
 * workspace, project instructions, command output. The user's own text stands next to them or in elements
 * with other names (`task`, `userRequest`).
 *
 * Sources: requests of Claude Code, Codex, Cline, Roo Code, GitHub Copilot and Gemini CLI, by their public
 * source code.
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

/** Removes the elements in one pass per name; an unclosed element ends the pass. */
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
