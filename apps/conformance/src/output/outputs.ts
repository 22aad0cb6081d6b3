/** The forms in which a result can be written. */
export const OUTPUTS = ['terminal', 'json', 'html', 'junit'] as const;

/** The name of a form. */
export type OutputName = (typeof OUTPUTS)[number];
