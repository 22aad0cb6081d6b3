import manifest from '../package.json' with { type: 'json' };

/** The version of this service, from its package. */
export const VERSION: string = manifest.version;
