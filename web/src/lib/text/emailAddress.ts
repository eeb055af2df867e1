/** One @, something before it, and a host of two names or more: what is wrong beyond that only a mail can tell. */
const emailShape = /^[^\s@<>()[\]\\,;:"]+@[^\s@.<>()[\]\\,;:"]+(\.[^\s@.<>()[\]\\,;:"]+)+$/;

export function isEmail(text: string): boolean {
  return emailShape.test(text);
}
