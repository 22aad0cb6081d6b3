import { type JsonSchema, PARAMETERS } from './parameters.ts';

/** A tool with the facts that the registry needs in addition to its definition. */
export interface ExampleTool {
  /** The server that provides it. */
  readonly namespace: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

type ParameterName = keyof typeof PARAMETERS;

/** A name, a description, and parameters; an exclamation mark means required. */
type Line = readonly [name: string, description: string, parameters: string];

const ISSUE_FIELDS = 'summary issueDescription priority assignee labels components fixVersions customFields';
const PAGE = 'cursor limit';
const REPOSITORY = 'owner! repo!';

const JIRA: readonly Line[] = [
  [
    'create_issue',
    'Create an issue (a ticket) in a Jira project. Returns its key and its address. To see which fields a project needs, call get_create_fields first.',
    `projectKey! issueType! summary! ${ISSUE_FIELDS}`,
  ],
  [
    'get_issue',
    'Read one issue with its fields, comments and links. Use search_issues to find issues whose key is not known.',
    'issueKey! issueFields expand',
  ],
  [
    'update_issue',
    'Change fields of an issue. Fields that are left out stay as they are; the status is changed with transition_issue.',
    `issueKey! ${ISSUE_FIELDS}`,
  ],
  [
    'delete_issue',
    'Delete an issue for good, with its comments and attachments. It cannot be undone; close it instead where that will do.',
    'issueKey!',
  ],
  [
    'transition_issue',
    'Move an issue to another status, such as In Progress or Done. Which transitions there are depends on the workflow of the project.',
    'issueKey! commentText customFields',
  ],
  [
    'search_issues',
    'Find issues with a JQL query. Returns a page of issues with their keys and the fields that are asked for.',
    `jql! issueFields expand ${PAGE}`,
  ],
  [
    'add_comment',
    'Write a comment on an issue. Everybody who watches the issue is told of it.',
    'issueKey! commentText! visibility',
  ],
  [
    'assign_issue',
    'Give an issue to a person, or take it away from everybody by leaving the assignee empty.',
    'issueKey! assignee commentText',
  ],
  [
    'list_projects',
    'List the projects that can be seen, with their keys, titles and leads.',
    `expand ${PAGE}`,
  ],
  [
    'get_create_fields',
    'Tell which fields an issue of a type needs in a project, which values they take, and which are required.',
    'projectKey! issueType! expand',
  ],
  [
    'list_boards',
    'List boards, of one project or all, with their ids and whether they are Scrum or Kanban.',
    `projectKey ${PAGE}`,
  ],
  [
    'list_sprints',
    'List the sprints of a board: past, active and future ones, with start, end and goal.',
    `boardId! ${PAGE}`,
  ],
  [
    'move_to_sprint',
    'Put issues into a sprint, taking them out of the one that they are in. Closed sprints are refused.',
    'sprintId! issueKey! commentText',
  ],
  [
    'log_work',
    'Note time that was spent on an issue, with what was done.',
    'issueKey! start commentText visibility',
  ],
];

const SLACK: readonly Line[] = [
  [
    'send_message',
    'Send a message to a channel, a group or a person, as the bot that is installed. Returns its timestamp. For a reply, give the thread.',
    'channel! messageText! blocks threadTs broadcast unfurl',
  ],
  [
    'schedule_message',
    'Have a message sent at a later time, at most 120 days ahead. It can be taken back until then.',
    'channel! messageText! start! blocks threadTs unfurl',
  ],
  [
    'update_message',
    'Change the text or the blocks of a message that the bot has sent.',
    'channel! messageTs! messageText! blocks',
  ],
  [
    'delete_message',
    'Delete a message that the bot has sent. Replies in its thread stay.',
    'channel! messageTs!',
  ],
  ['add_reaction', 'React to a message with an emoji.', 'channel! messageTs! emoji!'],
  [
    'get_thread',
    'Read a thread: the message it began with and the replies to it, oldest first.',
    `channel! threadTs! oldest latest ${PAGE}`,
  ],
  [
    'get_channel_history',
    'Read the latest messages of a channel, newest first, without replies in threads.',
    `channel! oldest latest ${PAGE}`,
  ],
  [
    'search_messages',
    'Find messages in all channels that the user can read.',
    `slackQuery! oldest latest ${PAGE}`,
  ],
  [
    'list_channels',
    'List channels with their ids, purposes and numbers of members. Archived ones are left out.',
    PAGE,
  ],
  ['get_user', 'Read the profile of a user: name, e-mail address, time zone, status.', 'slackUser! expand'],
  [
    'invite_to_channel',
    'Invite a person to a channel. The bot has to be a member of it.',
    'channel! slackUser! messageText',
  ],
  ['set_topic', 'Set the topic of a channel, which is shown at its head.', 'channel! messageText!'],
];

const GITHUB: readonly Line[] = [
  [
    'create_pull_request',
    'Open a pull request from one branch to another. The branch has to be pushed.',
    `${REPOSITORY} branch! titleOfChange! bodyOfChange gitRef labels`,
  ],
  [
    'get_pull_request',
    'Read a pull request with its checks, reviews and whether it can be merged.',
    `${REPOSITORY} pullNumber! expand`,
  ],
  [
    'list_pull_requests',
    'List the pull requests of a repository, the ones that changed last first.',
    `${REPOSITORY} githubState branch labels ${PAGE}`,
  ],
  [
    'merge_pull_request',
    'Merge a pull request. It is refused while checks fail that the branch protection asks for.',
    `${REPOSITORY} pullNumber! mergeMethod commitMessage`,
  ],
  [
    'review_pull_request',
    'Review a pull request: approve it, ask for changes, or comment.',
    `${REPOSITORY} pullNumber! reviewEvent! bodyOfChange`,
  ],
  [
    'open_issue',
    'Open an issue in a repository of GitHub.',
    `${REPOSITORY} titleOfChange! bodyOfChange labels assignee`,
  ],
  [
    'list_issues',
    'List the issues of a repository, without pull requests.',
    `${REPOSITORY} githubState labels assignee ${PAGE}`,
  ],
  [
    'comment_on_issue',
    'Write a comment on an issue or a pull request.',
    `${REPOSITORY} issueNumber! bodyOfChange!`,
  ],
  ['get_file', 'Read a file, or list a folder, at any branch, tag or commit.', `${REPOSITORY} path! gitRef`],
  [
    'commit_file',
    'Create or replace one file with a commit on a branch.',
    `${REPOSITORY} path! branch! commitMessage! bodyOfChange!`,
  ],
  [
    'create_branch',
    'Create a branch at a commit, or at the head of another branch.',
    `${REPOSITORY} branch! gitRef`,
  ],
  ['search_code', 'Find code in all repositories that can be read.', `codeQuery! ${PAGE}`],
  [
    'list_workflow_runs',
    'List the runs of a workflow of GitHub Actions with their status and conclusion.',
    `${REPOSITORY} workflow! branch ${PAGE}`,
  ],
  ['rerun_workflow', 'Run the jobs of a workflow run again that have failed.', `${REPOSITORY} runId!`],
];

const CALENDAR: readonly Line[] = [
  [
    'list_events',
    'List the events of a calendar in a period, in order of their start.',
    `start! end! calendarId ${PAGE}`,
  ],
  [
    'create_event',
    'Put an event into a calendar and invite people to it.',
    'summary! start! end! attendees notify calendarId',
  ],
  [
    'update_event',
    'Change an event: its time, its title, or who is invited.',
    'eventId! summary start end attendees notify calendarId',
  ],
  [
    'cancel_event',
    'Take an event out of the calendar, and tell those who are invited.',
    'eventId! notify calendarId commentText',
  ],
  ['find_free_time', 'Find times at which all of several people are free.', 'attendees! start! end! limit'],
];

const WIKI: readonly Line[] = [
  ['search', 'Find pages and spaces of Confluence with a CQL query.', `cql! expand ${PAGE}`],
  ['get_page', 'Read a page with its content, its labels and its history.', 'pageId! expand'],
  [
    'create_page',
    'Create a page in a space of Confluence, at the top or below another page.',
    'spaceKey! titleOfChange! pageBody! pageId labels',
  ],
  [
    'update_page',
    'Replace the title or the content of a page. The version before stays in its history.',
    'pageId! titleOfChange pageBody labels notify',
  ],
  ['comment_on_page', 'Write a comment below a page.', 'pageId! commentText!'],
];

/** Parameters that each server adds to all of its tools. */
const COMMON = {
  jira: 'cloudId responseFormat onBehalfOf idempotencyKey',
  slack: 'workspace responseFormat onBehalfOf idempotencyKey',
  github: 'responseFormat onBehalfOf idempotencyKey',
  calendar: 'timeZone responseFormat onBehalfOf idempotencyKey',
  wiki: 'cloudId responseFormat onBehalfOf idempotencyKey',
} as const;

/**
 * 50 tools from five servers. A definition takes some 400 tokens, between the 260 of GitHub's server and the
 * 950 that Anthropic reports for 58 tools of five servers
 * (https://www.anthropic.com/engineering/advanced-tool-use).
 */
export const TOOLS: readonly ExampleTool[] = [
  ...JIRA.map(toTool('jira')),
  ...SLACK.map(toTool('slack')),
  ...GITHUB.map(toTool('github')),
  ...CALENDAR.map(toTool('calendar')),
  ...WIKI.map(toTool('wiki')),
];

function toTool(namespace: keyof typeof COMMON): (line: Line) => ExampleTool {
  return ([name, description, parameters]) => {
    const names = [
      ...new Set(
        `${parameters} ${COMMON[namespace]}`.split(' ').map((parameter) => parameter.replace('!', '')),
      ),
    ];
    const properties = Object.fromEntries(names.map((key) => [key, PARAMETERS[key as ParameterName]]));
    const required = [...parameters.matchAll(/(\w+)!/g)].map((match) => match[1]);
    return { namespace, name, description, inputSchema: { type: 'object', properties, required } };
  };
}
