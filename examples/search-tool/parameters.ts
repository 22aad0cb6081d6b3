/** Parameters that several tools share, described as their servers describe them. */
export const PARAMETERS = {
  // Jira
  issueKey: text(
    'Key of the issue, such as WEB-1432. Ids of issues are accepted as well, but keys are easier to read back.',
  ),
  projectKey: text(
    'Key of the project, such as WEB. Find it with list_projects when the user names a project by its title.',
  ),
  issueType: choice('Type of the issue. Which types a project allows is told by get_create_fields.', [
    'Bug',
    'Task',
    'Story',
    'Epic',
    'Sub-task',
  ]),
  summary: text(
    'One line that says what the issue is about, at most 255 characters. Shown in boards and lists.',
  ),
  issueDescription: text(
    'What is to be done and why, in Markdown. It is converted to the Atlassian Document Format.',
  ),
  priority: choice('Priority of the issue. Left out, the default of the project holds.', [
    'Highest',
    'High',
    'Medium',
    'Low',
    'Lowest',
  ]),
  assignee: text(
    'Account id or e-mail address of the person the issue is assigned to. Left out, no one is assigned.',
  ),
  labels: texts('Labels of the issue, without spaces. Labels that do not exist yet are created.'),
  components: texts('Names of components of the project that the issue belongs to.'),
  fixVersions: texts('Names of the versions in which the issue is to be resolved.'),
  customFields: object(
    'Further fields by their ids, such as {"customfield_10010": 3}, in the form that get_create_fields tells.',
  ),
  jql: text(
    'A query in the Jira Query Language, such as: project = WEB AND status = "In Progress" ORDER BY updated DESC.',
  ),
  issueFields: texts(
    'Names of the fields to return. Left out, the common ones are: summary, status, assignee, priority, updated.',
  ),
  expand: texts('What to expand in the response, such as renderedFields, transitions or changelog.'),
  boardId: number('Id of the board, as list_boards gives it. Only Scrum boards have sprints.'),
  sprintId: number('Id of the sprint, as list_sprints gives it.'),
  commentText: text('Text of the comment in Markdown. People are mentioned with @ and their e-mail address.'),
  visibility: object(
    'Restricts who can read it: {"type": "role" or "group", "value": its name}. Left out, everybody who can see the issue can.',
  ),
  // Slack
  channel: text(
    'Id or name of the channel, such as C0123ABCD or #releases; for a direct message the id or e-mail address of the user.',
  ),
  messageText: text(
    'Text of the message in Slack’s mrkdwn. It is also what notifications show when there are blocks.',
  ),
  blocks: objects(
    'Blocks of Block Kit that lay the message out. See https://docs.slack.dev/block-kit; at most 50.',
  ),
  threadTs: text(
    'Timestamp of the message whose thread this belongs to, such as 1732275600.000200. Left out, it is not in a thread.',
  ),
  messageTs: text('Timestamp of the message, which is its id within the channel, such as 1732275600.000200.'),
  broadcast: flag('Whether a reply in a thread is also shown in the channel itself. False by default.'),
  unfurl: flag('Whether links are shown with a preview. True by default.'),
  emoji: text('Name of the emoji without colons, such as white_check_mark.'),
  slackUser: text('Id or e-mail address of the user.'),
  slackQuery: text(
    'What is looked for, with the modifiers of Slack’s search such as from:@ana, in:#releases, has:link or before:2026-11-01.',
  ),
  oldest: text(
    'Start of the period as a timestamp in seconds, or as a date such as 2026-11-21. Messages before it are left out.',
  ),
  latest: text('End of the period, in the same form. Left out, it is now.'),
  // GitHub
  owner: text('Account that owns the repository: a user or an organization. Case does not matter.'),
  repo: text('Name of the repository without the ".git" at the end. Case does not matter.'),
  pullNumber: number('Number of the pull request within the repository.'),
  issueNumber: number('Number of the issue within the repository.'),
  branch: text(
    'Name of the branch, without refs/heads. Left out, the default branch of the repository is meant.',
  ),
  path: text('Path of the file or folder from the root of the repository, without a slash at the beginning.'),
  gitRef: text('A branch, a tag or the SHA of a commit. Left out, the head of the default branch is meant.'),
  commitMessage: text(
    'Message of the commit: a line of at most 72 characters, an empty line, and what else there is to say.',
  ),
  titleOfChange: text('Title, in one line. Shown in lists and notifications.'),
  bodyOfChange: text(
    'What it is about, in GitHub-flavoured Markdown. Issues are closed by words such as "Closes #12".',
  ),
  githubState: choice('Whether open ones, closed ones or all are meant. Open ones by default.', [
    'open',
    'closed',
    'all',
  ]),
  mergeMethod: choice('How it is merged. Methods that the repository does not allow are refused.', [
    'merge',
    'squash',
    'rebase',
  ]),
  reviewEvent: choice('What the review says. With COMMENT, no decision is taken.', [
    'APPROVE',
    'REQUEST_CHANGES',
    'COMMENT',
  ]),
  workflow: text('Id of the workflow or name of its file, such as ci.yaml.'),
  runId: number('Id of the run of a workflow, as list_workflow_runs gives it.'),
  codeQuery: text(
    'What is looked for, in the syntax of GitHub’s code search, such as: "createServer" language:typescript repo:acme/web.',
  ),
  // Calendar and wiki
  calendarId: text('Id of the calendar. Left out or "primary", the main calendar of the user is meant.'),
  eventId: text('Id of the event, as list_events gives it. Of events that repeat, each has one of its own.'),
  start: text(
    'Start, in ISO 8601 with a time zone, such as 2026-11-23T10:00:00+01:00. For a whole day, a date alone.',
  ),
  end: text('End, in the same form as the start, and after it.'),
  attendees: texts(
    'E-mail addresses of the people who are invited. Each gets an invitation unless notify is false.',
  ),
  notify: flag('Whether attendees are told by mail. True by default.'),
  spaceKey: text(
    'Key of the space, such as ENG. Find it with search when the user names a space by its title.',
  ),
  pageId: text('Id of the page: the number in its address.'),
  pageBody: text(
    'Content of the page in Markdown. It is converted to the storage format, and replaces what was there.',
  ),
  cql: text(
    'A query in the Confluence Query Language, such as: space = ENG AND type = page AND text ~ "release".',
  ),
  // Parameters that servers add to nearly every tool
  cloudId: text(
    'Id of the Atlassian site, a UUID, or its address such as https://acme.atlassian.net. Where the user has named an issue or a page by its address, take the site from there; where there is one site alone, it may be left out.',
  ),
  workspace: text(
    'Id of the workspace, such as T0123ABCD. Needed only where the app is installed in several of them, as it is in organizations with Enterprise Grid; it is told in the response of list_channels.',
  ),
  timeZone: text(
    'Time zone in which times without one are read and in which times are returned, as the database of IANA names it, such as Europe/Berlin. Left out, that of the user’s calendar.',
  ),
  responseFormat: choice(
    'How much the response tells: "concise" gives ids, titles and states, which is enough to choose or to go on with; "detailed" gives every field, and takes several times as many tokens. Concise by default.',
    ['concise', 'detailed'],
  ),
  idempotencyKey: text(
    'A text of your own that names this change. A second call with the same one changes nothing and returns what the first one did, so that a call without a response can be repeated safely.',
  ),
  onBehalfOf: text(
    'E-mail address of the user in whose name it is done, where the app has been allowed to act for others. Left out, it is the user who is signed in.',
  ),
  cursor: text(
    'Where to go on: next_cursor of the response before. Left out, the list begins with its first page.',
  ),
  limit: number('How many to return at most, 1 to 100. 20 by default; there may be more on the next page.'),
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** A schema with a single parameter. */
export type JsonSchema = Readonly<Record<string, unknown>>;

function text(description: string): JsonSchema {
  return { type: 'string', description };
}

function number(description: string): JsonSchema {
  return { type: 'integer', description };
}

function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

function texts(description: string): JsonSchema {
  return { type: 'array', items: { type: 'string' }, description };
}

function object(description: string): JsonSchema {
  return { type: 'object', description };
}

function objects(description: string): JsonSchema {
  return { type: 'array', items: { type: 'object' }, description };
}

function choice(description: string, values: readonly string[]): JsonSchema {
  return { type: 'string', enum: values, description };
}
