import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';

const encoder = new Tiktoken(o200k);

/**
 * Returns the number of tokens of a value as JSON, by the tokenizer of OpenAI's current models. Providers
 * serialize tools and messages in their own way, at about that length.
 */
export function countTokens(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
