import { type PythonCall, type PythonValue, readPython } from './python-values.ts';
import { readCsv } from './read-csv.ts';
import {
  type ConversationLine,
  compareText,
  type ReadText,
  type RecordedSet,
  type SetSource,
  type ToolLine,
} from './set-source.ts';

const RESULTS = [
  'analytics/gpt-4_all_2024-03-23_21-56-59',
  'calendar/gpt-4_all_2024-03-21_14-57-26',
  'customer_relationship_manager/gpt-4_all_2024-03-19_11-18-10',
  'email/gpt-4_all_2024-03-21_15-21-12',
  'multi_domain/gpt-4_all_2024-03-23_21-17-32',
  'project_management/gpt-4_all_2024-03-21_15-40-36',
].map((name) => `data/results/${name}.csv`);
const TOOLS = [
  'analytics',
  'calendar',
  'company_directory',
  'customer_relationship_manager',
  'email',
  'project_management',
].map((name) => `src/tools/${name}.py`);

/** WorkBench: tasks of office work, with the calls of gpt-4 and their results. */
export const workbench: SetSource<RecordedSet> = {
  name: 'workbench',
  repository: 'olly-styles/WorkBench',
  commit: '42f1b6dc18986f47701ca83de2d63dd4f95c59a0',
  licence: 'MIT',
  files: [...RESULTS, ...TOOLS],
  licenceFile: 'LICENSE',
  faults: [
    'Tasks are made from templates, so first messages resemble each other. Tasks without a call are left out.',
    'The runs in which the model had all tools are taken. Whether a task was done right is not looked at.',
  ],
  sha256: {
    tools: 'c3e015c6ae46bebb201d5cbf3fd990c46010ee47d883fa1f4b651e6addad7fef',
    conversations: 'a738025c6b54f6c211632a6e1b16c0d8e9688d849bf4885d122d7ad22c4b6bf9',
  },
  convert,
};

function convert(read: ReadText): RecordedSet {
  const tasks = RESULTS.flatMap((file) => {
    const [header, ...rows] = readCsv(read(file));
    const at = header!.indexOf('full_response');
    const domain = /results\/([^/]+)\//.exec(file)![1]!;
    return rows.map((row, place) => conversationOf(`${domain}-${place}`, row[at]!));
  });
  return {
    tools: TOOLS.flatMap((file) => toolsIn(read(file))),
    conversations: tasks
      .filter(({ turns }) => turns[0]!.steps.length > 0)
      // Domains alternate, as they do for an assistant.
      .sort((one, other) => numberIn(one.id) - numberIn(other.id) || compareText(one.id, other.id)),
  };
}

function numberIn(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

interface RecordedRun {
  readonly input: string;
  /** An object, when the model gave one. */
  readonly output: unknown;
  readonly intermediate_steps: readonly (readonly [PythonValue, PythonValue])[];
}

function conversationOf(id: string, text: string): ConversationLine {
  const { input, output, intermediate_steps } = readPython(text) as RecordedRun;
  const steps = intermediate_steps.map(([{ value }, { value: result, text: written }]) => {
    const { tool, tool_input } = (value as PythonCall).named as {
      tool: string;
      tool_input: Readonly<Record<string, unknown>>;
    };
    return [
      {
        name: nameOf(tool),
        input: tool_input,
        result: typeof result === 'string' ? result : written,
      },
    ];
  });
  return {
    id,
    turns: [{ user: input, steps, answer: typeof output === 'string' ? output : JSON.stringify(output) }],
  };
}

/** Providers refuse a point in a name. */
function nameOf(tool: string): string {
  return tool.replace('.', '__');
}

const FUNCTION = /@tool\("([^"]+)".*?\ndef .*?"""\n(.*?)"""/gs;
const PARAMETER = /^ {4}(\w+) : (\w+)(, optional)?\n((?: {8}.*\n?)+)/gm;

/** Returns the tools in a file of Python: functions whose docstrings follow the style of numpy. */
function toolsIn(source: string): ToolLine[] {
  return [...source.matchAll(FUNCTION)].map(([, tool, doc]) => {
    const [description, rest = ''] = doc!.split(/\n\s*Parameters\n\s*-+\n/);
    const parameters = [...rest.split(/\n\s*Returns\n/)[0]!.matchAll(PARAMETER)];
    const required = parameters.filter(([, , , optional]) => optional === undefined);
    return {
      name: nameOf(tool!),
      description: plain(description!),
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map(([, name, , , text]) => [name, { type: 'string', description: plain(text!) }]),
        ),
        ...(required.length > 0 && { required: required.map(([, name]) => name) }),
      },
      group: tool!.split('.')[0]!,
    };
  });
}

function plain(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
