/** The format's name, as hidden turns have it. */
export const FORMAT_NAME = 'gemini-interactions';
