import { createRequire } from 'node:module';
import { EmbeddingError } from '../embedding-error.ts';

/** What is used of `onnxruntime-node`. Source: https://onnxruntime.ai/docs/api/js/ */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string, options: Record<string, unknown>): Promise<InferenceSession>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor;
}

export interface InferenceSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

export interface Tensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<unknown>;
}

/** What is used of `@huggingface/tokenizers`. */
export interface Tokenizers {
  readonly Tokenizer: new (
    description: object,
    settings: object,
  ) => { encode(text: string): { readonly ids: readonly number[] } };
}

export interface Libraries {
  readonly runtime: OnnxRuntime;
  readonly tokenizers: Tokenizers;
}

/** Not installed with Winnow: the first one is 290 MB, and its own installation needs a further download. */
const NAMES = ['onnxruntime-node', '@huggingface/tokenizers'] as const;

/** Says how to install them when they are not there; loads nothing. `from` is a file or folder, Winnow itself when undefined. */
export function requireLibraries(from: string | undefined): void {
  const { resolve } = requireFrom(from);
  for (const name of NAMES) {
    try {
      resolve(name);
    } catch {
      throw new EmbeddingError(
        'not_usable',
        `a local model needs ${name}: npm i --ignore-scripts ${NAMES.join(' ')}`,
      );
    }
  }
}

/** Loads them, in some 100 ms. */
export function loadLibraries(from: string | undefined): Libraries {
  const load = requireFrom(from);
  return { runtime: load(NAMES[0]), tokenizers: load(NAMES[1]) };
}

/** By `require`, which heeds NODE_PATH: they may stand in a folder of their own. */
function requireFrom(from: string | undefined): NodeJS.Require {
  return createRequire(from === undefined ? import.meta.url : `${from}/`);
}
