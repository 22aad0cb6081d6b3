/** A source of vectors. */
export type EmbedderAddress =
  /** A folder with `model.onnx` and `tokenizer.json`. */
  | { readonly kind: 'onnx'; readonly folder: string }
  /** An endpoint that speaks the `/embeddings` API of OpenAI. */
  | { readonly kind: 'endpoint'; readonly url: URL; readonly model: string };

/** The permitted forms of an address; completes "must be". */
export const EMBEDDER_FORMS =
  'onnx:FOLDER, a folder with model.onnx and tokenizer.json, or URL#MODEL, an endpoint such as https://api.openai.com/v1#text-embedding-3-small';

/** Parses `onnx:FOLDER` or `URL#MODEL`; undefined for anything else. */
export function readEmbedderAddress(text: string): EmbedderAddress | undefined {
  const folder = /^onnx:(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) return { kind: 'onnx', folder };
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash.length < 2) return undefined;
  // A key has its own setting, which is never printed.
  if (url.username !== '' || url.password !== '') return undefined;
  const model = decode(url.hash.slice(1));
  if (model === undefined) return undefined;
  url.hash = '';
  return { kind: 'endpoint', url, model };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
