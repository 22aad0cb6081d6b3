import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';

const encoder = new Tiktoken(o200k);

/** Tokens of a value as JSON, as the tokenizer of OpenAI's current models counts. Providers write tools and messages in forms of their own, of about that length. */
export function countTokens(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
