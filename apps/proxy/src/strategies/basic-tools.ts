import { toDocument } from '@winnow/ranking';
import type { ToolEntry } from '@winnow/wire';

/**
 * Kinds of tools that a coding agent cannot work without: names that agents give them, and a parameter that
 * they take. The parameter distinguishes a tool of the agent from a service's tool with the same name, such as
 * a `search` for tickets.
 *
 * Names from the requests of Claude Code, Codex, Cline, Continue, Copilot CLI, Gemini CLI, Goose, opencode,
 * OpenHands, pi, Qwen Code, Roo Code and VS Code.
 */
const KINDS: readonly { readonly names: string; readonly takes: RegExp }[] = [
  {
    // Runs a command in a shell.
    names:
      'bash sh shell powershell local_shell container_exec exec exec_command execute_command execute_bash run_command run_commands ' +
      'run_shell_command run_terminal_cmd run_in_terminal shell_command terminal developer__shell',
    takes: /^(cmd|command|commands|script|input)$/i,
  },
  {
    // Writes to a running command, reads its output, or ends it.
    names: 'write_stdin write_bash read_bash stop_bash bash_output kill_shell kill_bash',
    takes: /^(session_id|sessionid|bash_id|shell_id|chars)$/i,
  },
  {
    // Reads a file.
    names: 'read read_file read_files read_many_files view view_file open_file cat',
    takes: pathLike(),
  },
  {
    // Changes or creates a file.
    names:
      'edit edit_file edit_existing_file multi_edit replace replace_in_file replace_string_in_file replace_file_content ' +
      'single_find_and_replace str_replace str_replace_editor str_replace_based_edit_tool text_editor developer__text_editor ' +
      'insert_edit_into_file notebook_edit insert_content search_and_replace write write_file write_to_file create create_file create_new_file editor',
    takes: pathLike(),
  },
  {
    // Applies a patch.
    names: 'patch apply_patch apply_diff',
    takes: /^(patch|patch_?text|input|diff|path|file_?path)$/i,
  },
  {
    // Lists files.
    names: 'ls list list_dir list_directory list_files',
    takes: pathLike(),
  },
  {
    // Searches in files, or for files.
    names:
      'grep grep_files grep_search search_file_content search_files file_search file_glob_search glob find search codebase_search',
    takes: /^(pattern|regex|glob|glob_?pattern|include_?pattern|file_?pattern)$/i,
  },
];

/** Matches the name of a parameter that takes the path of a file or folder. */
function pathLike(): RegExp {
  return /^(((target|absolute|relative|file|dir|directory|folder|notebook|workspace)_?)?paths?|file_?names?|(target_)?(file|directory)|dir|files|include)$/i;
}

const kindByName: ReadonlyMap<string, RegExp> = new Map(
  KINDS.flatMap(({ names, takes }) => names.split(' ').map((name) => [fold(name), takes] as const)),
);

/**
 * Whether a tool is one that agents cannot work without: shell, read, edit, write, patch, list, search in
 * files. It is known by its whole name, ignoring case and separators, and by a parameter.
 */
export function isBasicTool({ name = '', definition }: Pick<ToolEntry, 'name' | 'definition'>): boolean {
  const takes = kindByName.get(fold(name));
  if (takes === undefined) return false;
  const { parameters } = toDocument({ name, description: null, definition: asObject(definition) });
  return parameters.some((parameter) => takes.test(parameter.name));
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function fold(name: string): string {
  return name.replace(/[\s_.-]+/g, '').toLowerCase();
}
