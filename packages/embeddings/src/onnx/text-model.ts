import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InferenceSession, loadLibraries, type OnnxRuntime, type Tensor } from './load-libraries.ts';

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
