/** The start of every response's text, in all formats. */
export const ANSWER_TEXT = 'Here are';
