export { countJsonValues } from './count-json-values.ts';
export { editDistance } from './edit-distance.ts';
export { graphemesOf } from './graphemes-of.ts';
export { parseJson } from './parse-json.ts';
export { removeInvisible, removeInvisibleFrom } from './remove-invisible.ts';
