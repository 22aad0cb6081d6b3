import { answer, callTool, type Model, say } from '@winnow/testkit';

/** The user's request. */
export const REQUEST =
  'The checkout fails for carts with more than 50 items. Please file a Jira ticket in WEB and tell #checkout-team on Slack.';

/** The model's behaviour: for each need, the search query and the intended call. */
const NEEDS = [
  {
    search: { query: 'create a Jira ticket', max_results: 2 },
    name: 'jira__create_issue',
    input: {
      projectKey: 'WEB',
      issueType: 'Bug',
      summary: 'Checkout fails for carts with more than 50 items',
      priority: 'High',
    },
  },
  {
    search: { query: 'send a Slack message to a channel', max_results: 2 },
    name: 'slack__send_message',
    input: {
      channel: '#checkout-team',
      messageText: 'WEB-1433: the checkout fails for carts with more than 50 items.',
    },
  },
] as const;

const SEARCH_TOOL = 'tool_search_tool';

/**
 * A model that calls a tool only if it can see it, searches for missing tools if it can, and otherwise gives
 * up.
 */
export const scriptedModel: Model = ({ callable, turns, idPrefixes }) => {
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  const called = new Set(calls.map(({ name }) => name));
  const idOf = (place: number) => `${idPrefixes.call}${calls.length + place}`;
  const open = NEEDS.filter(({ name }) => !called.has(name));
  const lacking = open.filter(({ name }) => !callable.has(name));
  if (lacking.length > 0 && callable.has(SEARCH_TOOL) && !called.has(SEARCH_TOOL)) {
    return answer(lacking.map(({ search }, place) => callTool(SEARCH_TOOL, search, { id: idOf(place) })));
  }
  if (lacking.length > 0) return answer([say(`There is no tool to ${lacking[0]!.search.query}.`)]);
  const [next] = open;
  if (next !== undefined) return answer([callTool(next.name, next.input, { id: idOf(0) })]);
  return answer([say('WEB-1433 is filed, and #checkout-team knows.')]);
};
