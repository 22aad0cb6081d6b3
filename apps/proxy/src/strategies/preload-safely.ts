import type { RequestView } from '@winnow/wire';
import { NO_PRELOAD, type Preload } from './preload.ts';

/** Returns what a preload chooses; nothing if that fails, as a defect must not cost the client its response. */
export async function preloadSafely(
  view: RequestView,
  { preload, onDefect }: { readonly preload: Preload; readonly onDefect: (error: unknown) => void },
): ReturnType<Preload> {
  try {
    return await preload(view);
  } catch (error) {
    onDefect(error);
    return NO_PRELOAD(view);
  }
}
