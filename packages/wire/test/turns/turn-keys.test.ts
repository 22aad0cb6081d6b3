import { describe, expect, it } from 'vitest';
import { type Conversation, keysOfNextTurn, keysOfTurns } from '../../src/turns/turn-keys.ts';

/** Alternating turns of the user and the assistant, each with its own call. */
function conversationOf(turnCount: number): Conversation {
  return {
    turns: Array.from({ length: turnCount }, (_, at) => ({
      position: 2 * at + 1,
      callIds: [`call_of_turn_${String(at).padStart(12, 'x')}`],
      signatures: [],
    })),
    length: 2 * turnCount,
    toolSection: undefined,
    saidAt: (position) => `message ${position}`,
    hashes: [],
  };
}

describe('keysOfTurns', () => {
  it('makes keys of the latest 1,024 turns only, the same as of fewer', () => {
    const keys = keysOfTurns(conversationOf(1_030));
    expect(keys).toHaveLength(1_030);
    expect(keys.slice(0, 6)).toEqual(Array(6).fill({ own: [], conversation: undefined }));
    expect(keys[6]).toEqual(keysOfTurns(conversationOf(7))[6]);
    expect(keys.slice(6).every(({ own, conversation }) => own.length === 1 && conversation)).toBe(true);
  });

  it('hashes what was said before those turns all the same', () => {
    const changed: Conversation = {
      ...conversationOf(1_030),
      saidAt: (position) => (position === 0 ? 'something else' : `message ${position}`),
    };
    const [last, other] = [conversationOf(1_030), changed].map((one) => keysOfTurns(one).at(-1)!);
    expect(last!.own).toEqual(other!.own);
    expect(last!.conversation).not.toBe(other!.conversation);
  });

  it('trusts no id and no signature that stands twice, however long it is', () => {
    const twice = (parts: object): Conversation => ({
      ...conversationOf(2),
      turns: [1, 3].map((position) => ({ position, callIds: [], signatures: [], ...parts })),
    });
    for (const parts of [
      { callIds: ['call_0123456789abcdef'] },
      { signatures: ['EqQBCgIYAhIkabcdef0123'] },
    ]) {
      expect(keysOfTurns(twice(parts)).map(({ own }) => own)).toEqual([[], []]);
      const next = { callIds: [], signatures: [], ...parts };
      const once = { ...twice(parts), turns: twice(parts).turns.slice(0, 1) };
      expect(keysOfTurns(once)[0]!.own).toHaveLength(1);
      expect(keysOfNextTurn(once, next, 'message 3').own).toEqual([]);
    }
  });

  it('gives the turn that follows the key that it has once it is part of the history', () => {
    const next = { callIds: ['call_of_turn_xxxxxxxxx1030'], signatures: [] };
    const before = { ...conversationOf(1_030), length: 2_061 };
    const after = conversationOf(1_031);
    expect(keysOfNextTurn(before, next, 'message 2061').conversation).toBe(
      keysOfTurns(after).at(-1)!.conversation,
    );
  });
});
