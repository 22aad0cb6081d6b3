/** The format's name in configuration, records and hidden turns. */
export const FORMAT_NAME = 'ollama-chat';
