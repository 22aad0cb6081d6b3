import { CATALOGUE } from '../catalogue.ts';
import type { WireFormat } from '../raw-client.ts';

/** The first request of a coding agent, with the tools of its MCP servers in addition to its own. */
export interface AgentRequest {
  readonly agent: string;
  readonly format: WireFormat;
  readonly body: Readonly<Record<string, unknown>>;
  /** Tools that must be visible from the start; the name of the list is the reason. */
  readonly namedByPrompt: readonly string[];
  readonly ofInteraction: readonly string[];
  /** Own tools that nothing in the request mentions. */
  readonly others: readonly string[];
  /** The tool that the user's request needs. */
  readonly needed: string;
}

/** The user's request, which the catalogue's `forge_open_pull_request` fulfils. */
const WISH = 'Please open a pull request for the branch that I am on.';

/**
 * Requests as coding agents send them, modelled on their public documentation: the names of tools are theirs,
 * every sentence is Winnow's own.
 *
 * Sources: https://code.claude.com/docs/en/tools-reference, https://github.com/openai/codex (the tools of its
 * prompts), https://docs.cline.bot/tools-reference/all-cline-tools
 */
export const AGENT_REQUESTS: readonly AgentRequest[] = [claudeCode(), codex(), cline()];

function claudeCode(): AgentRequest {
  const namedByPrompt = ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'];
  const ofInteraction = ['AskUserQuestion', 'ExitPlanMode', 'TodoWrite'];
  const others = ['NotebookEdit', 'WebFetch'];
  return {
    agent: 'Claude Code',
    format: 'anthropic',
    namedByPrompt,
    ofInteraction,
    others,
    needed: 'forge_open_pull_request',
    body: {
      model: 'claude-opus-4-5',
      max_tokens: 1_000,
      system: [
        { type: 'text', text: 'You help with software in a terminal.', cache_control: { type: 'ephemeral' } },
        {
          type: 'text',
          text: [
            '# Tools',
            '- Prefer Read over `cat`, and Edit over sed. Write is for new files.',
            '- Search with Grep and Glob; never run find through Bash.',
            '- NotebookEdits and a WebFetcher do not exist.',
          ].join('\n'),
          cache_control: { type: 'ephemeral' },
        },
      ],
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: '<system-reminder>\nThe weather forecast and the calendar are mentioned in CLAUDE.md.\n</system-reminder>',
            },
            { type: 'text', text: WISH },
          ],
        },
      ],
      tools: [...namedByPrompt, ...ofInteraction, ...others, ...catalogueNames()].map((name) => {
        const { description, parameters } = toolOf(name);
        return { name, description, input_schema: parameters };
      }),
    },
  };
}

function codex(): AgentRequest {
  const namedByPrompt = ['apply_patch', 'shell'];
  const ofInteraction = ['request_user_input', 'update_plan'];
  const others = ['view_image'];
  return {
    agent: 'Codex',
    format: 'openai',
    namedByPrompt,
    ofInteraction,
    others,
    needed: 'forge_open_pull_request',
    body: {
      model: 'gpt-5.2',
      messages: [
        { role: 'system', content: 'You work on code. Run commands with `shell`.' },
        { role: 'developer', content: 'Change files with apply_patch only.' },
        {
          role: 'user',
          content: '<environment_context>\n<cwd>/src</cwd> view_image\n</environment_context>',
        },
        { role: 'user', content: WISH },
      ],
      tools: chatTools([...namedByPrompt, ...ofInteraction, ...others, ...catalogueNames()]),
    },
  };
}

function cline(): AgentRequest {
  const namedByPrompt = ['execute_command', 'read_file', 'replace_in_file'];
  const ofInteraction = ['ask_followup_question', 'attempt_completion', 'plan_mode_respond'];
  const others = ['browser_action'];
  return {
    agent: 'Cline',
    format: 'openai',
    namedByPrompt,
    ofInteraction,
    others,
    needed: 'forge_open_pull_request',
    body: {
      model: 'gpt-5.2',
      messages: [
        {
          role: 'system',
          content: 'Look with read_file first; then replace_in_file. Use execute_command for the rest.',
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: `<task>\n${WISH}\n</task>` },
            {
              type: 'text',
              text: '<environment_details>\nbrowser_action is closed.\n</environment_details>',
            },
          ],
        },
      ],
      tools: chatTools([...namedByPrompt, ...ofInteraction, ...others, ...catalogueNames()]),
    },
  };
}

function chatTools(names: readonly string[]): object[] {
  return names.map((name) => ({ type: 'function', function: toolOf(name) }));
}

function catalogueNames(): string[] {
  return CATALOGUE.map(({ name }) => name);
}

/** Tools of the catalogue, or an agent's own ones, of which only the name matters. */
function toolOf(name: string) {
  const known = CATALOGUE.find((tool) => tool.name === name);
  return (
    known ?? {
      name,
      description: `One of the agent's own tools.`,
      parameters: { type: 'object', properties: {} },
    }
  );
}
