/** A response's text as far as it has come. */
export interface ComingText {
  readonly text: () => string;
  /** Reads until it has come; rejects when it never does. */
  until(wanted: string): Promise<void>;
  /** Reads to the end. */
  end(): Promise<void>;
}

/** Reads a response's text as it comes. */
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
