import { describe, expect, it } from 'vitest';
import { HeapPressure } from '../../src/bounds/heap-pressure.ts';

const MIB = 2 ** 20;

/** With a bound of 120 MiB; sizes are in MiB, times in seconds. */
function openPressure() {
  const pressure = new HeapPressure(120 * MIB);
  const see = (used: number, nowS = 0) => pressure.see(used * MIB, nowS * 1_000);
  see(20);
  return {
    see,
    collected: (used: number, nowS = 0) => pressure.collected(used * MIB, nowS * 1_000),
    isLean: () => pressure.isLean,
  };
}

describe('pressure of a heap', () => {
  it('is none below the bound, however fast it grows', () => {
    const { see } = openPressure();
    expect(see(119.9)).toBe(false);
  });

  it('has the heap collected once when it passes the bound', () => {
    const { see } = openPressure();
    expect(see(120)).toBe(true);
    expect(see(160)).toBe(false);
  });

  it('has it collected again when it has grown by a third over what was left, and not before', () => {
    const { see, collected } = openPressure();
    see(120);
    collected(99);
    expect(see(131)).toBe(false);
    expect(see(132)).toBe(true);
  });

  it('goes by the least that was left, where V8 has collected by itself', () => {
    const { see, collected } = openPressure();
    see(200);
    collected(200);
    expect(see(150)).toBe(false);
    expect(see(199)).toBe(false);
    expect(see(200)).toBe(true);
  });

  it('does not collect without end what lives above the bound', () => {
    const { see, collected } = openPressure();
    expect(see(300)).toBe(true);
    collected(300);
    for (let look = 0; look < 60; look++) expect(see(310)).toBe(false);
  });

  it('leaves a heap to V8 that takes long to collect at once', () => {
    const { see } = openPressure();
    expect(see(385)).toBe(false);
    expect(see(384)).toBe(true);
  });

  it('asks for a lean heap when two collections are due within five seconds, until none was due for ten', () => {
    const { see, collected, isLean } = openPressure();
    see(120, 0);
    expect(isLean()).toBe(false);
    collected(50, 0.1);
    expect(see(120, 5)).toBe(true);
    expect(isLean()).toBe(true);
    collected(50, 5.1);
    see(119, 15);
    expect(isLean()).toBe(true);
    see(119, 15.1);
    expect(isLean()).toBe(false);
  });

  it('does not ask for it when collections are further apart', () => {
    const { see, collected, isLean } = openPressure();
    see(120, 0);
    collected(50, 0.1);
    expect(see(120, 5.2)).toBe(true);
    expect(isLean()).toBe(false);
  });
});
