/** The route that the service is named after. */
export const ATTACH_PATH = '/api/v1/tools/attach';
