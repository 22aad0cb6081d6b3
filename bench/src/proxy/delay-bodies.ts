import { generateTools, toProviderTool } from '@winnow/testkit';

/** A kind of body that might block the event loop. */
export interface DelayBody {
  readonly title: string;
  /** The size that it approaches, in bytes, without exceeding it. */
  readonly limitBytes: number;
  /** Whether it has the maximum size that the proxy accepts. */
  readonly isLargest: boolean;
  /** Returns a new body for each number. */
  readonly make: (number: number) => Buffer;
}

const MIB = 2 ** 20;
/** The default of `server.max_body`. */
const LARGEST_BYTES = 50 * MIB;

const SIZES = [
  { limitBytes: 1_024, title: '1 KB', isLargest: false },
  { limitBytes: 140_000, title: '140 KB', isLargest: false },
  { limitBytes: 1_000_000, title: '1 MB', isLargest: false },
  { limitBytes: LARGEST_BYTES, title: '50 MiB, the largest', isLargest: true },
] as const;

const SHAPES = [
  // The smallest body has no room for tools and turns.
  { shape: 'tools', least: 140_000, fill: fillWithTools },
  { shape: 'long conversation', least: 140_000, fill: fillWithMessages },
  { shape: 'one long message', least: 0, fill: fillWithText },
] as const;

/** Bodies of four sizes, filled with tools, with many messages, or with one long text. */
const ORDINARY_BODIES: readonly DelayBody[] = SIZES.flatMap(({ title, ...size }) =>
  SHAPES.filter(({ least }) => size.limitBytes >= least).map(({ shape, fill }) => ({
    ...size,
    title: `${title}, ${shape}`,
    make: (number) => Buffer.from(JSON.stringify(fill(size.limitBytes, number))),
  })),
);

/** Bodies whose content is slow to read, and bodies with many tools next to a long message. */
const ODD_BODIES: readonly DelayBody[] = [
  { title: '48 MB, blanks', size: 48_000_000, isLargest: true, more: () => ' '.repeat(47_900_000) },
  { title: '8 MB, blanks', size: 8_200_000, isLargest: true, more: () => ' '.repeat(8_100_000) },
  { title: '5.8 MB, 490,000 members', size: 5_900_000, isLargest: true, more: () => membersOf(490_000) },
  { title: '2.8 MB, 240,000 members', size: 2_900_000, isLargest: true, more: () => membersOf(240_000) },
  { title: '0.9 MB, 80,000 members', size: 950_000, isLargest: false, more: () => membersOf(80_000) },
  { title: '6 MB, long names', size: 6_100_000, isLargest: true, more: () => longNames(60) },
].map(({ title, size, isLargest, more }) => ({
  title,
  limitBytes: size,
  isLargest,
  make: (number) => {
    const body = JSON.stringify(fillWithTools(FEW_TOOLS_BYTES, number));
    return Buffer.from(`{${more()}${body.slice(1)}`);
  },
}));

const MATCHED_BODIES: readonly DelayBody[] = [
  { title: '1,000 tools and a message of 1 MB', tools: 1_000, messageBytes: 1_000_000 },
  { title: '4,000 tools and a message of 4 MB', tools: 4_000, messageBytes: 4_000_000 },
].map(({ title, tools, messageBytes }) => ({
  title,
  limitBytes: messageBytes + 900 * tools,
  isLargest: true,
  make: (number) => {
    const many = fillWithTools(860 * tools, number);
    const { messages } = fillWithText(messageBytes, number);
    return Buffer.from(JSON.stringify({ ...many, messages }));
  },
}));

const LONG_NAMED_TOOLS: DelayBody = {
  title: '19,000 tools with names of 245 characters',
  limitBytes: 6_500_000,
  isLargest: true,
  make: (number) => {
    const tools = Array.from({ length: 19_000 }, (_, position) => ({
      type: 'function',
      function: { name: `${'n'.repeat(239)}_${position}`, parameters: { type: 'object' } },
    }));
    return Buffer.from(JSON.stringify({ model: MODEL, messages: [firstMessage(number)], tools }));
  },
};

/** All kinds of bodies. */
export const DELAY_BODIES: readonly DelayBody[] = [
  ...ORDINARY_BODIES,
  ...ODD_BODIES,
  LONG_NAMED_TOOLS,
  ...MATCHED_BODIES,
];

const MODEL = 'bench-1';
const SENTENCE = 'Please look at the open invoices of the last quarter, and tell which of them are overdue. ';
/** Bytes for the members around the filling of a body. */
const FRAME_BYTES = 300;
/** Bytes of tools in a body whose size comes from something else, if there is room. */
const FEW_TOOLS_BYTES = 20_000;
const TOOLS = 200;

interface ChatBody {
  readonly model: string;
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
}

/** 200 generated tools, repeated under other names. */
function fillWithTools(limitBytes: number, number: number): ChatBody {
  const generated = generateTools({ count: TOOLS, seed: number, meanBytes: 860 }).map((tool) =>
    toProviderTool(tool, 'openai'),
  );
  const tools = upTo(limitBytes, (position) => {
    const tool = generated[position % TOOLS] as { function: { name: string } };
    const name = `${tool.function.name.slice(0, 40)}_${position}`;
    return { ...tool, function: { ...tool.function, name } };
  });
  return { model: MODEL, messages: [firstMessage(number)], tools };
}

/** Turns of about a thousand characters, and a few tools. */
function fillWithMessages(limitBytes: number, number: number): ChatBody {
  const { tools = [], messages } = fillWithTools(FEW_TOOLS_BYTES, number);
  const turns = upTo(limitBytes - FEW_TOOLS_BYTES, (position) => ({
    role: position % 2 === 0 ? 'assistant' : 'user',
    content: SENTENCE.repeat(11),
  }));
  // The user has the last turn.
  const isEven = turns.length % 2 === 0;
  return { model: MODEL, messages: [...messages, ...(isEven ? turns : turns.slice(0, -1))], tools };
}

function fillWithText(limitBytes: number, number: number): ChatBody {
  const toolBytes = limitBytes > 2 * FEW_TOOLS_BYTES ? FEW_TOOLS_BYTES : 0;
  const { tools = [], messages } = fillWithTools(toolBytes, number);
  const sentences = Math.floor((limitBytes - toolBytes - FRAME_BYTES) / SENTENCE.length);
  const long = { role: 'user', content: SENTENCE.repeat(sentences) };
  return { model: MODEL, messages: [...messages, long], ...(tools.length > 0 && { tools }) };
}

/** Members of an object, each followed by a comma. */
function membersOf(count: number): string {
  return Array.from({ length: count }, (_, position) => `"k${position}":1,`).join('');
}

/** The same members with keys of 100,000 characters. */
function longNames(count: number): string {
  return Array.from({ length: count }, (_, position) => `"${'n'.repeat(100_000)}${position}":1,`).join('');
}

function firstMessage(number: number): object {
  return { role: 'user', content: `${SENTENCE} This is conversation ${number}.` };
}

/** Returns as many members of a list as fit. */
function upTo(limitBytes: number, make: (position: number) => object): object[] {
  const members: object[] = [];
  let left = limitBytes - FRAME_BYTES;
  for (;;) {
    const member = make(members.length);
    left -= Buffer.byteLength(JSON.stringify(member)) + 1;
    if (left < 0) return members;
    members.push(member);
  }
}
