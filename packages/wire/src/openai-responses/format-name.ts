/** The name of the format in configuration, records and hidden turns. */
export const FORMAT_NAME = 'openai-responses';
