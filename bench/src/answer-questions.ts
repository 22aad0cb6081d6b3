/**
 * Answers questions from the process that started this one; see `RunningProcess.ask`. Does not keep this
 * process alive.
 */
export function answerQuestions(answers: Readonly<Record<string, () => unknown>>): void {
  process.on('message', (question: string) => {
    const answer = answers[question];
    if (answer) process.send!({ question, answer: answer() });
  });
  process.channel?.unref();
}
