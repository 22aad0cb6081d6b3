import type { StoredTool } from '../model/tool.ts';

/** What a change is planned on: the newest content, as far as the change may touch it. */
export interface ToolBase {
  readonly version: number;
  /** Tools of the scope. */
  readonly toolCount: number;
  /** A tool that the change may touch. */
  get(id: string): StoredTool | undefined;
}

/** A base on which planned changes stand already, so that several can be planned in a row. */
export class LayeredBase implements ToolBase {
  readonly #below: ToolBase;
  readonly #changed = new Map<string, StoredTool | undefined>();
  #version: number;
  #toolCount: number;

  constructor(below: ToolBase) {
    this.#below = below;
    this.#version = below.version;
    this.#toolCount = below.toolCount;
  }

  get version(): number {
    return this.#version;
  }

  get toolCount(): number {
    return this.#toolCount;
  }

  get(id: string): StoredTool | undefined {
    return this.#changed.has(id) ? this.#changed.get(id) : this.#below.get(id);
  }

  put(tool: StoredTool): void {
    if (this.get(tool.id) === undefined) this.#toolCount++;
    this.#changed.set(tool.id, tool);
  }

  delete(id: string): void {
    if (this.get(id) === undefined) return;
    this.#toolCount--;
    this.#changed.set(id, undefined);
  }

  /** Counts a change as made. */
  raiseVersion(): void {
    this.#version++;
  }

  /** Every tool that is not as it is below; undefined for one that is gone. */
  changes(): ReadonlyMap<string, StoredTool | undefined> {
    return this.#changed;
  }
}
