import type { RolloutArm } from '@winnow/core';

/** Colours of marks by meaning; the page's style gives each a value for light and one for dark. */
export const COLOURS = {
  calm: 'var(--grey)',
  main: 'var(--teal)',
  second: 'var(--blue)',
  third: 'var(--violet)',
  warm: 'var(--orange)',
  bad: 'var(--red)',
} as const;

/** Each arm has its colour everywhere. */
export const ARM_COLOURS: Readonly<Record<RolloutArm, string>> = {
  off: COLOURS.calm,
  dark: COLOURS.third,
  shadow: COLOURS.warm,
  full: COLOURS.main,
};
