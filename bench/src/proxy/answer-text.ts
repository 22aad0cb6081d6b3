/** What the text of every answer begins with, whatever its format. */
export const ANSWER_TEXT = 'Here are';
