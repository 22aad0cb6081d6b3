/** Path of the search route. */
export const SEARCH_PATH = '/v1/tool-discovery/search';
