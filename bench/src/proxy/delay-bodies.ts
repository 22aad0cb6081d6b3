import { generateTools, toProviderTool } from '@winnow/testkit';

/** A kind of body that might hold up the event loop. */
export interface DelayBody {
  readonly title: string;
  /** The size that it comes close to, in bytes, never above it. */
  readonly limitBytes: number;
  /** Whether it is as large as the proxy takes bodies. */
  readonly isLargest: boolean;
  /** A body that nobody has seen before, for each number another one. */
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

/** Bodies of four sizes, made large by tools, by many messages, and by the text of one. */
export const DELAY_BODIES: readonly DelayBody[] = SIZES.flatMap(({ title, ...size }) =>
  SHAPES.filter(({ least }) => size.limitBytes >= least).map(({ shape, fill }) => ({
    ...size,
    title: `${title}, ${shape}`,
    make: (number) => Buffer.from(JSON.stringify(fill(size.limitBytes, number))),
  })),
);

const MODEL = 'bench-1';
const SENTENCE = 'Please look at the open invoices of the last quarter, and tell which of them are overdue. ';
/** Room for the members around what a body is filled with. */
const FRAME_BYTES = 300;
/** Bytes of tools in a body that something else makes large, where there is room. */
const FEW_TOOLS_BYTES = 20_000;
const TOOLS = 200;

interface ChatBody {
  readonly model: string;
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
}

/** 200 generated tools, over and over under other names. */
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
  // The last turn is the user's.
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

function firstMessage(number: number): object {
  return { role: 'user', content: `${SENTENCE} This is conversation ${number}.` };
}

/** As many members of a list as fit. */
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
