import { type ResolveFnOutput, type ResolveHookSync, registerHooks } from 'node:module';

/**
 * Resolves source files quickly while a service starts, until the returned function is called.
 *
 * Node accesses the disk several times for every import: for the file, for links on its path, and for the
 * `package.json` with the module type. A source that another one imports by a relative path needs none of
 * this: it exists, and all sources are ES modules in TypeScript. A package is resolved once per folder, as
 * the result is the same for all files in it. Everything else is left to Node.
 */
export function resolveSources(): () => void {
  const hooks = registerHooks({ resolve: createResolve() });
  return () => hooks.deregister();
}

/** Returns a hook that resolves like `next` with fewer disk accesses. */
export function createResolve(): ResolveHookSync {
  const packages = new Map<string, ResolveFnOutput>();
  return (specifier, context, next) => {
    const { parentURL: parent } = context;
    if (parent?.endsWith('.ts') !== true) return next(specifier, context);
    if (specifier.startsWith('.')) {
      if (!specifier.endsWith('.ts')) return next(specifier, context);
      return { url: new URL(specifier, parent).href, format: 'module-typescript', shortCircuit: true };
    }
    const key = `${parent.slice(0, parent.lastIndexOf('/'))} ${specifier}`;
    let found = packages.get(key);
    if (found === undefined) {
      found = { ...next(specifier, context), shortCircuit: true };
      packages.set(key, found);
    }
    return found;
  };
}
