/** The minimum length of a password if the provider sets no other; it has a sentence of its own. */
export const defaultMinimum = 6;

export type MinimumText = 'password.min' | 'password.minOf';
export const minimumText = (minimum: number): MinimumText =>
  minimum === defaultMinimum ? 'password.min' : 'password.minOf';

/** Counts characters as people do, not UTF-16 code units. */
export const isShort = (password: string, minimum: number) => [...password].length < minimum;
