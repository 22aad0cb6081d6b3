import type { RequestView } from '@winnow/wire';
import type { Preload } from './preload.ts';

/**
 * Returns the names preloaded by words; none if preloading fails, as a defect must not cost the client its response.
 */
export async function preloadSafely(
  view: RequestView,
  { preload, onDefect }: { readonly preload: Preload; readonly onDefect: (error: unknown) => void },
): Promise<readonly string[]> {
  try {
    return await preload.byWords(view);
  } catch (error) {
    onDefect(error);
    return [];
  }
}
