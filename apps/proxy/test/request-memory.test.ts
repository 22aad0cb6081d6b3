import { describe, expect, it } from 'vitest';
import { shareOf } from '../src/exchange/handle-exchange.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';

const MIB = 2 ** 20;

function memoryOf(maxBytes: number): RequestMemory {
  return new RequestMemory({ maxBytes, heapShare: () => 0 });
}

describe('the memory that exchanges share', () => {
  it('never exceeds its limit, and is reusable after its return', () => {
    const memory = memoryOf(10);
    const [first, second] = [memory.open('a'), memory.open('b')];
    expect(first.take(6)).toBe(true);
    expect(second.take(5)).toBe(false);
    expect(second.take(4)).toBe(true);
    first.release();
    first.release();
    expect(second.take(7)).toBe(false);
    expect(second.take(6)).toBe(true);
  });

  it('goes to one client at most by half while others hold some', () => {
    const memory = memoryOf(100);
    const greedy = [memory.open('greedy'), memory.open('greedy')];
    const other = memory.open('other');
    expect(other.take(10)).toBe(true);
    expect(greedy[0]!.take(30)).toBe(true);
    expect(greedy[1]!.take(21)).toBe(false);
    expect(greedy[1]!.take(20)).toBe(true);
    other.release();
    expect(greedy[1]!.take(40)).toBe(true);
  });

  it('is partly reserved for small exchanges', () => {
    const memory = memoryOf(80 * MIB);
    const [large, small] = [memory.open('a'), memory.open('b')];
    expect(large.take(71 * MIB)).toBe(false);
    expect(large.take(70 * MIB)).toBe(true);
    expect(small.take(5 * MIB)).toBe(false);
    expect(small.take(4 * MIB)).toBe(true);
  });

  it('makes the largest arriving body give way to a smaller one', () => {
    const memory = memoryOf(100);
    const [larger, large, small] = [memory.open('a'), memory.open('b'), memory.open('c')];
    const givenWay: string[] = [];
    larger.arrives(() => {
      givenWay.push('larger');
      larger.release();
    });
    large.arrives(() => givenWay.push('large'));
    expect(larger.take(50)).toBe(true);
    expect(large.take(45)).toBe(true);
    expect(small.take(20)).toBe(true);
    expect(givenWay).toEqual(['larger']);
    // It is no smaller than the body that is still arriving.
    expect(small.take(60)).toBe(false);
    large.arrived();
    expect(small.take(20)).toBe(true);
    expect(small.take(20)).toBe(false);
    expect(givenWay).toEqual(['larger']);
  });

  it('keeps the bytes set aside for one exchange until it ends', () => {
    const memory = memoryOf(100);
    const [first, second] = [memory.open('a'), memory.open('b')];
    expect(first.setAside(30)).toBe(true);
    expect(second.take(71)).toBe(false);
    expect(first.take(20)).toBe(true);
    expect(first.bytes).toBe(30);
    expect(first.take(15)).toBe(true);
    expect(first.bytes).toBe(35);
    first.give(35);
    expect(first.bytes).toBe(30);
    first.give(20);
    expect(first.bytes).toBe(30);
    first.release();
    expect(first.bytes).toBe(0);
    expect(second.take(100)).toBe(true);
  });

  it('has no heap for another request when most of it is used', () => {
    let share = 0.69;
    const memory = new RequestMemory({ maxBytes: 0, heapShare: () => share });
    expect(memory.hasHeap).toBe(true);
    share = 0.7;
    expect(memory.hasHeap).toBe(false);
  });
});

describe('the share of memory that a request is counted to', () => {
  it('is that of its checked credential, else of its address: a client may invent keys', () => {
    const of = (sender: string | undefined, address: string) => shareOf({ sender, identity: { address } });
    expect(of('token-a', '10.0.0.1')).toBe(of('token-a', '10.0.0.2'));
    expect(of('token-a', '10.0.0.1')).not.toBe(of('token-b', '10.0.0.1'));
    expect(of(undefined, '10.0.0.1')).not.toBe(of(undefined, '10.0.0.2'));
    // An address cannot be named by a credential.
    expect(of('10.0.0.1', '10.0.0.2')).not.toBe(of(undefined, '10.0.0.1'));
  });
});
