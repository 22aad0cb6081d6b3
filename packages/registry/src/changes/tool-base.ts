import type { StoredTool } from '../model/tool.ts';

/** The newest content that a change may read while it is planned. */
export interface ToolBase {
  readonly version: number;
  /** Tools of the scope. */
  readonly toolCount: number;
  /** Returns a tool that the change may read. */
  get(id: string): StoredTool | undefined;
}

/** A base with planned changes on top, so that several changes can be planned in a row. */
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

  /** Counts one more change. */
  raiseVersion(): void {
    this.#version++;
  }

  /** Returns every changed tool; undefined for a removed one. */
  changes(): ReadonlyMap<string, StoredTool | undefined> {
    return this.#changed;
  }
}
