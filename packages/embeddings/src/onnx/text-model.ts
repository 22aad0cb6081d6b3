import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { EmbeddingError } from '../embedder.ts';

/** Files in a model's folder. */
export const MODEL_FILE = 'model.onnx';
export const TOKENIZER_FILE = 'tokenizer.json';

/** Number of tokens to read if the tokenizer sets no limit. */
const DEFAULT_MAX_TOKENS = 128;

/** Characters per token after which a text is cut before tokenizing; a token has 4 on average. */
const MAX_TOKEN_CHARS = 16;

/** A model that turns one text into one vector. */
export interface TextModel {
  embed(text: string): Promise<Float32Array>;
}

/**
 * Loads a model of the BERT family, with the inputs `input_ids`, `attention_mask` and, if the model has it,
 * `token_type_ids`. Its output is one vector, or one per token, of which the mean is taken. Runs on one core.
 *
 * Source: https://www.sbert.net/docs/sentence_transformer/usage/custom_models.html (mean pooling)
 */
export async function loadTextModel(folder: string, librariesFrom: string | undefined): Promise<TextModel> {
  const { runtime, tokenizers } = loadLibraries(librariesFrom);
  const description = JSON.parse(readFileSync(join(folder, TOKENIZER_FILE), 'utf8')) as {
    truncation?: { max_length?: number } | null;
  };
  const tokenizer = new tokenizers.Tokenizer(description, {});
  const maxTokens = description.truncation?.max_length ?? DEFAULT_MAX_TOKENS;
  const session = await runtime.InferenceSession.create(join(folder, MODEL_FILE), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return {
    async embed(text) {
      const ids = cutTokens(tokenizer.encode(text.slice(0, maxTokens * MAX_TOKEN_CHARS)).ids, maxTokens);
      const outputs = await session.run(inputsOf(session, ids, runtime));
      return meanOf(outputs[session.outputNames[0]!]!);
    },
  };
}

/** Cuts the tokens, keeping the last one, which ends every text. */
function cutTokens(ids: readonly number[], most: number): readonly number[] {
  return ids.length <= most ? ids : [...ids.slice(0, most - 1), ids.at(-1)!];
}

function inputsOf({ inputNames }: InferenceSession, ids: readonly number[], { Tensor }: OnnxRuntime) {
  const tensor = (values: BigInt64Array): Tensor => new Tensor('int64', values, [1, ids.length]);
  const all = {
    input_ids: tensor(BigInt64Array.from(ids, BigInt)),
    attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(ids.length)),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => inputNames.includes(name)));
}

/** Returns the mean of all vectors in a tensor; its last dimension is that of the vectors. */
function meanOf({ dims, data }: Tensor): Float32Array {
  const mean = new Float32Array(dims.at(-1) ?? 0);
  for (let at = 0; at < data.length; at++) mean[at % mean.length]! += data[at] as number;
  return mean;
}

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

/** Start data of the model's thread. */
export interface OnnxWorkerData {
  readonly folder: string;
  readonly librariesFrom: string | undefined;
}

/** The message after which the thread ends, once its last text is done. All other messages are texts. */
export const END = null;
