import type { JsonObject } from '@winnow/service';
import { describe } from './describe-operation.ts';
import { DESCRIPTION, READING } from './errors.ts';
import { text } from './parameters.ts';

/** The paths of statistics and of the change feed. */
export function describeFeed(): JsonObject {
  return {
    '/v1/registry/stats': {
      get: describe({
        id: 'readStats',
        summary: 'How much there is',
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
      text(
        'since',
        'A version, or the id of an event: what came since is sent first. From now on without it.',
      ),
      text('epoch', 'The epoch that `since` belongs to; 409 when the registry has begun anew.'),
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        schema: { type: 'string' },
        description: 'As `since`; what a browser sends by itself.',
      },
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
