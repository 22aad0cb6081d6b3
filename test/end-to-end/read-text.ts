/** The text of a response so far. */
export interface ComingText {
  readonly text: () => string;
  /** Reads until a text has arrived; rejects if it never does. */
  until(wanted: string): Promise<void>;
  /** Reads to the end. */
  end(): Promise<void>;
}

/** Reads a response's text as it arrives. */
export function readText(response: Response): ComingText {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readOn = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += value ?? '';
    return !done;
  };
  return {
    text: () => text,
    async until(wanted: string): Promise<void> {
      while (!text.includes(wanted))
        if (!(await readOn())) throw new Error(`"${wanted}" never came: ${text}`);
    },
    async end(): Promise<void> {
      while (await readOn());
    },
  };
}
