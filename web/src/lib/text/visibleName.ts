/** Leaves a mark by itself: no space, joiner, accent, selector or filler; the blank of Braille passes for a symbol. */
const visibleCharacter = /[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a name shows anything at all; the server takes none that does not. */
export function isVisibleName(name: string): boolean {
  return visibleCharacter.test(name);
}
