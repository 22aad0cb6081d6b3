import { expect, test } from 'vitest';
import { readPython } from '../../src/sets/python-values.ts';
import { workbench } from '../../src/sets/workbench.ts';

const step = `(AgentAction(tool='email.send', tool_input={'to': "o'neill@x.y", 'n': nan, 'copy': True}, log='\\n{"a"}'), [{'id': '7', 'size': 1.5}])`;
const found = `(AgentAction(tool='directory.find', tool_input={}, log=''), array(['a', 'b'], dtype=object))`;
const run = (steps: string) =>
  `{'input': ""Write to Pat"", 'output': 'Done.', 'intermediate_steps': [${steps}]}`;
const files: Record<string, string> = {
  'email/gpt-4_all_2024-03-21_15-21-12.csv': [
    '"query","function_calls","full_response","error"',
    `"Write","[]","${run([step, found].join(', ').replaceAll('"', '""'))}",""`,
    `"Nothing","[]","${run('')}",""`,
    '',
  ].join('\n'),
  'email.py': [
    '@tool("email.send", return_direct=False)',
    'def send(to="", copy=None):',
    '    """',
    '    Sends a message',
    '    at once.',
    '',
    '    Parameters',
    '    ----------',
    '    to : str',
    '        Recipient of',
    '        the message.',
    '    copy : bool, optional',
    '        Whether to keep a copy.',
    '',
    '    Returns',
    '    -------',
    '    done : str',
    '        Nothing.',
    '    """',
    '    return 1',
  ].join('\n'),
};
const read = (path: string) =>
  Object.entries(files).find(([end]) => path.endsWith(`/${end}`))?.[1] ?? '"full_response"\n';

test('takes the calls with their results as Python wrote them, and leaves tasks without a call out', () => {
  const { conversations } = workbench.convert(read);
  expect(conversations).toEqual([
    {
      id: 'email-0',
      turns: [
        {
          user: 'Write to Pat',
          steps: [
            [
              {
                name: 'email__send',
                input: { to: "o'neill@x.y", n: null, copy: true },
                result: "[{'id': '7', 'size': 1.5}]",
              },
            ],
            [{ name: 'directory__find', input: {}, result: "array(['a', 'b'], dtype=object)" }],
          ],
          answer: 'Done.',
        },
      ],
    },
  ]);
});

test('reads tools from docstrings', () => {
  expect(workbench.convert(read).tools).toEqual([
    {
      name: 'email__send',
      description: 'Sends a message at once.',
      parameters: {
        type: 'object',
        properties: {
          to: { type: 'string', description: 'Recipient of the message.' },
          copy: { type: 'string', description: 'Whether to keep a copy.' },
        },
        required: ['to'],
      },
      group: 'email',
    },
  ]);
});

test('refuses what is not a value', () => {
  expect(() => readPython("{'a': <object>}")).toThrow('no value at character 5');
  expect(() => readPython("['a'")).toThrow(SyntaxError);
});
