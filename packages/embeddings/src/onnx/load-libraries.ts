import { createRequire } from 'node:module';
import { EmbeddingError } from '../embedding-error.ts';

/** The part of `onnxruntime-node` in use. Source: https://onnxruntime.ai/docs/api/js/ */
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

/** The part of `@huggingface/tokenizers` in use. */
interface Tokenizers {
  readonly Tokenizer: new (
    description: object,
    settings: object,
  ) => { encode(text: string): { readonly ids: readonly number[] } };
}

export interface Libraries {
  readonly runtime: OnnxRuntime;
  readonly tokenizers: Tokenizers;
}

/**
 * Optional libraries, not installed with Winnow: the first takes 290 MB, and its installation downloads more.
 */
const NAMES = ['onnxruntime-node', '@huggingface/tokenizers'] as const;

/**
 * Throws with installation instructions if the libraries are missing; loads nothing. `from` is the file or
 * folder to resolve from, Winnow itself if undefined.
 */
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

/** Loads the libraries, in some 100 ms. */
export function loadLibraries(from: string | undefined): Libraries {
  const load = requireFrom(from);
  return { runtime: load(NAMES[0]), tokenizers: load(NAMES[1]) };
}

/** Returns a `require`, which honours NODE_PATH, so that the libraries may be in a separate folder. */
function requireFrom(from: string | undefined): NodeJS.Require {
  return createRequire(from === undefined ? import.meta.url : `${from}/`);
}
