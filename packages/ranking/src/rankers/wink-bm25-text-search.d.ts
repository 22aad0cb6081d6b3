/** The part of wink-bm25-text-search 3 that is called here; the package has no types of its own. */
declare module 'wink-bm25-text-search' {
  export interface WinkEngine {
    defineConfig(config: { fldWeights: Readonly<Record<string, number>> }): boolean;
    /** Each gets what the one before it gave. Without a field name: for every field and for queries. */
    definePrepTasks(tasks: readonly ((input: never) => unknown)[]): number;
    addDoc(document: Readonly<Record<string, string | readonly string[]>>, id: string | number): number;
    consolidate(decimals?: number): boolean;
    /** Pairs of id and score, best first. */
    search(text: string, limit: number): [id: string, score: number][];
  }

  export default function createEngine(): WinkEngine;
}
