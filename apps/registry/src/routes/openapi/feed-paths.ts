import { type JsonObject, parameter } from '@winnow/service';
import { DESCRIPTION, READING } from './errors.ts';

/** The paths of statistics and of the change feed. */
export function describeFeed(): JsonObject {
  return {
    '/v1/registry/stats': {
      get: DESCRIPTION.describe('readStats', 'How much there is', {
        response: 'StatsResponse',
        errors: READING,
      }),
    },
    '/v1/registry/changes': { get: describeChanges() },
  };
}

function describeChanges(): JsonObject {
  return {
    operationId: 'followChanges',
    summary: 'Every change, as server-sent events whose ids lead back to where a reader was',
    security: [{ bearer: [] }, {}],
    parameters: [
      parameter(
        'query',
        'since',
        'A version, or the id of an event: what came since is sent first. From now on without it.',
      ),
      parameter('query', 'epoch', 'The epoch that `since` belongs to; 409 when the registry has begun anew.'),
      parameter('header', 'Last-Event-ID', 'As `since`; what a browser sends by itself.'),
    ],
    responses: {
      200: {
        description:
          'Events named by their type, whose data is a `ChangeEventData`; a comment every 15 seconds. The headers `Winnow-Registry-Epoch` and `Winnow-Registry-Version` say where it begins.',
        content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/ChangeEventData' } } },
      },
      ...DESCRIPTION.errors([...READING, 'stale_cursor']),
    },
  };
}
