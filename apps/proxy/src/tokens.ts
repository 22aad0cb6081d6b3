// By path, as long as the package's index does not offer them: relevance must read texts exactly as the rankers do.
export { tokenize, tokenizeQuery } from '../../../packages/ranking/src/tokenize.ts';
