import { hash } from 'node:crypto';
import type { ToolSection, TurnKeys } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';

/** The parts of an assistant turn that keys are made of. */
export interface SpokenTurn {
  /** The position of its message. */
  readonly position: number;
  /** Ids of its calls, in order. */
  readonly callIds: readonly string[];
  /** Signatures of its thinking; empty for formats without. */
  readonly signatures: readonly string[];
  /** The provider's id of its first item, if clients may refer to it instead of repeating it. */
  readonly item?: string | undefined;
}

/**
 * The parts of a conversation that keys are made of.
 *
 * Contract: only its hashes change. They live as long as it does, so make it only once for each request.
 */
export interface Conversation {
  readonly turns: readonly SpokenTurn[];
  /** The number of messages. */
  readonly length: number;
  /** The section that declares the request's tools: some servers derive ids from their names. */
  readonly toolSection: ToolSection | undefined;
  /**
   * Returns the text of the message at a position, without thinking; undefined for one that does not count,
   * such as a system prompt.
   */
  readonly saidAt: (position: number) => string | undefined;
  /** The hashes of the messages up to and including each position, as far as they are known. Empty at first. */
  readonly hashes: string[];
}

/**
 * The most turns, counted from the latest, that get keys: no session keeps more hidden turns. A key takes a
 * few microseconds, and a body has room for 100,000 turns.
 */
const MAX_KEYED_TURNS = 1_024;

/**
 * Returns the keys of every turn of a conversation; turns before the latest 1,024 get only item keys. Linear
 * in its length.
 */
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

/** Returns the keys of an assistant turn with the text `said` that follows a conversation. */
export function keysOfNextTurn(
  conversation: Conversation,
  turn: Omit<SpokenTurn, 'position'>,
  said: string | undefined,
): TurnKeys {
  const { turns, toolSection, length } = conversation;
  const isOwn = ownTexts([...turns, turn], toolSection);
  const before = hashUpTo(conversation, length - 1);
  return { own: ownKeys(turn, isOwn), conversation: keyOf(hashWith(before, said)) };
}

/** Returns the key of the messages before a position, where the first turn stands or would stand. */
export function keyOfOpening(conversation: Conversation, end: number): string {
  return keyAt(conversation, end - 1);
}

interface OwnTexts {
  readonly isId: (id: string) => boolean;
  readonly isSignature: (signature: string) => boolean;
}

/** Returns tests for the ids and signatures that no other turn has. */
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

/**
 * Returns the own keys of a turn. All of its ids are in its visible part, so any one of them finds it; a
 * signature is needed only without ids.
 */
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
 * Whether the id of a call is unique: some servers number calls within a response (`call_0`), use a clock, or
 * take the tool's name.
 */
function isTrustedId(id: string, declared: ReadonlySet<string>): boolean {
  const tail = id.split(/[^A-Za-z0-9]+/).findLast((part) => part !== '') ?? '';
  if (tail.length < FEWEST_ID_CHARS || /^\d+$/.test(tail)) return false;
  return !declared.has(plainForm(id)) && !declared.has(plainForm(tail));
}

function plainForm(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Returns the key of the messages up to and including a position. */
function keyAt(conversation: Conversation, position: number): string {
  return keyOf(hashUpTo(conversation, position));
}

/**
 * Returns the hash of the messages up to and including a position, -1 for none: that of the hash before the last one
 * and its text.
 */
function hashUpTo({ hashes, saidAt }: Conversation, position: number): string {
  for (let at = hashes.length; at <= position; at++) hashes.push(hashWith(hashes[at - 1] ?? '', saidAt(at)));
  return hashes[position] ?? '';
}

function hashWith(before: string, said: string | undefined): string {
  return said === undefined ? before : hashText(`${before}\n${said}`);
}

function keyOf(hash: string): string {
  return `conversation:${hash}`;
}

/** Returns the SHA-256 of a text in base64url, which serves as its name. */
export function hashText(text: string): string {
  return hash('sha256', text, 'base64url');
}
