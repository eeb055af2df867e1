/**
 * A character that is visible by itself: no space, joiner, accent, selector or filler. The Braille
 * blank counts as a symbol, so it is excluded explicitly.
 */
const visibleCharacter = /[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a name has any visible character; the server refuses one that has none. */
export function isVisibleName(name: string): boolean {
  return visibleCharacter.test(name);
}
