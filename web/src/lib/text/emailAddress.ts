/**
 * One @, something before it, and a host of two labels or more: only a sent mail finds further
 * errors.
 */
const emailShape = /^[^\s@<>()[\]\\,;:"]+@[^\s@.<>()[\]\\,;:"]+(\.[^\s@.<>()[\]\\,;:"]+)+$/;

export function isEmail(text: string): boolean {
  return emailShape.test(text);
}
