import type { RequestView } from '@winnow/wire';
import type { Preload } from './preload.ts';

/**
 * Returns the names preloaded by words, or the groups next to them; none if that fails, as a defect must not cost the client its response.
 */
export async function preloadSafely(
  view: RequestView,
  { preload, onDefect }: { readonly preload: Preload; readonly onDefect: (error: unknown) => void },
  what: keyof Preload = 'byWords',
): Promise<readonly string[]> {
  try {
    return await preload[what](view);
  } catch (error) {
    onDefect(error);
    return [];
  }
}
