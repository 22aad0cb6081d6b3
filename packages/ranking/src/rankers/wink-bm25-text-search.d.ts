/** The part of wink-bm25-text-search 3 in use; the package has no types. */
declare module 'wink-bm25-text-search' {
  export interface WinkEngine {
    defineConfig(config: { fldWeights: Readonly<Record<string, number>> }): boolean;
    /** Sets a chain of tasks. Without a field name, it applies to every field and to queries. */
    definePrepTasks(tasks: readonly ((input: never) => unknown)[]): number;
    addDoc(document: Readonly<Record<string, string | readonly string[]>>, id: string | number): number;
    consolidate(decimals?: number): boolean;
    /** Returns pairs of id and score, best first. */
    search(text: string, limit: number): [id: string, score: number][];
  }

  export default function createEngine(): WinkEngine;
}
