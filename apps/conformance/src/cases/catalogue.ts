import type { ClientTool } from '../formats/client-format.ts';

/** A tool with one required text. */
function tool(name: string, description: string, parameter: string): ClientTool {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: {
        [parameter]: { type: 'string', description: `The ${parameter}.` },
        limit: { type: 'integer' },
      },
      required: [parameter],
    },
  };
}

const ACTIONS = ['create', 'list', 'update', 'delete', 'archive', 'search', 'export', 'share'];
const THINGS = [
  'invoice',
  'ticket',
  'calendar_event',
  'repository',
  'contact',
  'shipment',
  'playlist',
  'recipe',
];

/** The tool that the conversations of the group `deferral` need. */
export const WANTED: ClientTool = tool(
  'get_weather_forecast',
  'Get the weather forecast of a city for the next days.',
  'city',
);

/** A second tool that they need. */
export const ALSO_WANTED: ClientTool = tool(
  'convert_currency_amount',
  'Convert an amount of money from one currency to another.',
  'amount',
);

/** Sixty-six tools of an agent, more than a gateway with tool search shows a model at once. */
export const TOOLS: readonly ClientTool[] = [
  ...ACTIONS.flatMap((action) =>
    THINGS.map((thing) =>
      tool(
        `${action}_${thing}`,
        `${action[0]!.toUpperCase()}${action.slice(1)} a ${thing.replace('_', ' ')} in the workspace of the current user, with all of its fields.`,
        `${thing}_id`,
      ),
    ),
  ),
  WANTED,
  ALSO_WANTED,
];
