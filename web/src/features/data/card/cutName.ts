/** A part in parentheses, what follows the last comma, or the last word where it holds a figure; with what separates it. */
const ending = /(?:\s*[(（][^()（）]+[)）]|[,，、][^,，、]+|\s\S*\d\S*(?:\s[^\s\d]{1,3})?)$/u;

/**
 * A name in two: where it is too long its start is cut and its end kept, which is what tells "Soil temperature (30 cm)" from
 * "Soil temperature (60 cm)". The end is empty where nothing stands out.
 */
export function cutName(name: string): [start: string, end: string] {
  const at = name.search(ending);
  return at <= 0 ? [name, ''] : [name.slice(0, at), name.slice(at)];
}
