import { createHash, type Hash } from 'node:crypto';
import type { ToolSection, TurnKeys } from '../format/view.ts';
import { hashText } from '../hash-text.ts';
import { rememberBy } from '../remember-by.ts';

/** A turn of the assistant as far as keys are made of it. */
export interface SpokenTurn {
  /** Where its message stands. */
  readonly position: number;
  /** Ids of its calls, in order. */
  readonly callIds: readonly string[];
  /** Signatures of its thinking; none for formats without. */
  readonly signatures: readonly string[];
  /** The id under which the provider stores its first item, where clients may refer to that in place of writing it out. */
  readonly item?: string | undefined;
}

/**
 * A conversation as far as keys are made of it.
 *
 * Contract: never changed. What is hashed of it is kept as long as it is, so that one should be made only once for each request.
 */
export interface Conversation {
  readonly turns: readonly SpokenTurn[];
  /** How many messages there are. */
  readonly length: number;
  /** What declares the request's tools: some servers make ids of their names. */
  readonly toolSection: ToolSection | undefined;
  /** What the message at a position says, thinking apart; undefined for one that does not count, such as a system prompt. */
  readonly saidAt: (position: number) => string | undefined;
}

/** Turns of which keys are made, the latest ones: more notes than of these no session keeps. A key takes some microseconds, and a body has room for 100,000 turns. */
const MAX_KEYED_TURNS = 1_024;

/** The keys of every turn of a conversation; none for those before the latest 1,024. Linear in its length. */
export function keysOfTurns(conversation: Conversation): TurnKeys[] {
  const { turns, toolSection } = conversation;
  const isOwn = ownTexts(turns, toolSection);
  const firstKeyed = turns.length - MAX_KEYED_TURNS;
  return turns.map((turn, at) =>
    at < firstKeyed
      ? { own: itemKeys(turn), conversation: undefined }
      : { own: ownKeys(turn, isOwn), conversation: keyAt(conversation, turn.position) },
  );
}

/** The keys of a turn that follows a conversation, in which the assistant has said this. */
export function keysOfNextTurn(
  conversation: Conversation,
  turn: Omit<SpokenTurn, 'position'>,
  said: string | undefined,
): TurnKeys {
  const { turns, toolSection, length } = conversation;
  const isOwn = ownTexts([...turns, turn], toolSection);
  const hash = hashUpTo(conversation, length - 1).copy();
  addTo(hash, said);
  return { own: ownKeys(turn, isOwn), conversation: keyOf(hash) };
}

/** The key of what was said before a position. */
export function keyOfOpening(conversation: Conversation, end: number): string {
  return keyAt(conversation, end - 1);
}

interface OwnTexts {
  readonly isId: (id: string) => boolean;
  readonly isSignature: (signature: string) => boolean;
}

/** What of these turns no other turn has. */
function ownTexts(
  turns: readonly Omit<SpokenTurn, 'position'>[],
  toolSection: ToolSection | undefined,
): OwnTexts {
  const declared = toolSection === undefined ? NONE : plainNames(toolSection);
  const counts = new Map<string, number>();
  for (const { callIds, signatures } of turns) {
    for (const text of [...callIds, ...signatures]) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const isOnce = (text: string) => counts.get(text) === 1;
  return { isId: (id) => isOnce(id) && isTrustedId(id, declared), isSignature: isOnce };
}

/** All ids of a turn stand in its visible part, so that any one of them finds it; and a signature is needed only where there is none. */
function ownKeys(turn: Omit<SpokenTurn, 'position'>, isOwn: OwnTexts): string[] {
  const id = turn.callIds.find(isOwn.isId);
  if (id !== undefined) return [`call:${id}`, ...itemKeys(turn)];
  const signature = turn.signatures.find(isOwn.isSignature);
  return [...(signature === undefined ? [] : [`thinking:${hashText(signature)}`]), ...itemKeys(turn)];
}

function itemKeys({ item }: Pick<SpokenTurn, 'item'>): string[] {
  return item === undefined ? [] : [`item:${item}`];
}

const NONE: ReadonlySet<string> = new Set();

const plainNames = rememberBy(
  ({ entries }: ToolSection): ReadonlySet<string> =>
    new Set(entries.flatMap(({ name }) => (name === undefined ? [] : plainForm(name)))),
);

const FEWEST_ID_CHARS = 9;

/**
 * Whether an id of a call can be told from all others: servers number calls within a response (`call_0`), use a clock, or take the tool's name.
 */
export function isTrustedId(id: string, declared: ReadonlySet<string>): boolean {
  const tail = id.split(/[^A-Za-z0-9]+/).findLast((part) => part !== '') ?? '';
  if (tail.length < FEWEST_ID_CHARS || /^\d+$/.test(tail)) return false;
  return !declared.has(plainForm(id)) && !declared.has(plainForm(tail));
}

function plainForm(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** What was hashed of a conversation so far. */
interface Progress {
  readonly hash: Hash;
  /** The first message that is not hashed yet. */
  next: number;
  readonly keys: Map<number, string>;
}

const inProgress = new WeakMap<Conversation, Progress>();

/** The key of all that was said up to and including a position. */
function keyAt(conversation: Conversation, position: number): string {
  const known = inProgress.get(conversation)?.keys.get(position);
  if (known !== undefined) return known;
  const key = keyOf(hashUpTo(conversation, position));
  inProgress.get(conversation)?.keys.set(position, key);
  return key;
}

/** The hash of all that was said up to and including a position; not to be changed. */
function hashUpTo(conversation: Conversation, position: number): Hash {
  const known = inProgress.get(conversation);
  // Positions are asked for in ascending order, nearly always.
  const progress =
    known !== undefined && known.next <= position + 1
      ? known
      : { hash: createHash('sha256'), next: 0, keys: known?.keys ?? new Map<number, string>() };
  if (known === undefined) inProgress.set(conversation, progress);
  for (; progress.next <= position; progress.next++) addTo(progress.hash, conversation.saidAt(progress.next));
  return progress.hash;
}

function addTo(hash: Hash, said: string | undefined): void {
  if (said !== undefined) hash.update(`${said.length}:`).update(said);
}

function keyOf(hash: Hash): string {
  return `conversation:${hash.copy().digest('base64url')}`;
}
