import type { ObjectSchema, ReadText, RecordedSet, SetSource } from './set-source.ts';
import { type ChatMessage, turnsOfMessages } from './turns-of-messages.ts';

const TRAJECTORIES = 'historical_trajectories/gpt-4o-airline.json';
const TOOLS = [
  'book_reservation',
  'calculate',
  'cancel_reservation',
  'get_reservation_details',
  'get_user_details',
  'list_all_airports',
  'search_direct_flight',
  'search_onestop_flight',
  'send_certificate',
  'think',
  'transfer_to_human_agents',
  'update_reservation_baggages',
  'update_reservation_flights',
  'update_reservation_passengers',
];
const fileOf = (tool: string) => `tau_bench/envs/airline/tools/${tool}.py`;

/** τ-bench: conversations of gpt-4o with customers of an airline, with its calls and their results. */
export const tauBenchAirline: SetSource<RecordedSet> = {
  name: 'tau-bench-airline',
  repository: 'sierra-research/tau-bench',
  commit: '59a200c6d575d595120f1cb70fea53cef0632f6b',
  licence: 'MIT',
  files: [TRAJECTORIES, ...TOOLS.map(fileOf)],
  licenceFile: 'LICENSE',
  faults: ['The customer is played by a model. Conversations without a call are left out.'],
  sha256: {
    tools: '7fad8c50cc4880f587597b5b2bd0719dab62ae1c6a713209a5920e0813888059',
    conversations: '96ae7efef0276426954c6dc3d795d82cdc0e0390619d890d56d12213161e69db',
  },
  convert,
};

function convert(read: ReadText): RecordedSet {
  const recorded = JSON.parse(read(TRAJECTORIES)) as {
    readonly task_id: number;
    readonly trial: number;
    readonly traj: readonly ChatMessage[];
  }[];
  const conversations = recorded.map(({ task_id, trial, traj }) => ({
    id: `${task_id}-${trial}`,
    turns: turnsOfMessages(traj),
  }));
  return {
    tools: TOOLS.map((tool) => toolOf(read(fileOf(tool)))),
    conversations: conversations.filter(({ turns }) => turns.some(({ steps }) => steps.length > 0)),
  };
}

/** Returns the definition in a file of Python: the value of its `get_info`, as JSON with a few differences. */
function toolOf(source: string) {
  const json = source
    .slice(source.indexOf('return {', source.indexOf('def get_info')) + 'return '.length)
    .replaceAll(/"\s*\n\s*"(?=[^:]*")/g, '')
    .replaceAll(/\bTrue\b/g, 'true')
    .replaceAll(/,(\s*[}\]])/g, '$1');
  const { name, description, parameters } = (
    JSON.parse(json) as {
      readonly function: {
        readonly name: string;
        readonly description: string;
        readonly parameters: ObjectSchema;
      };
    }
  ).function;
  return { name, description, parameters, group: 'airline' };
}
