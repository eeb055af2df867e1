/**
 * A part in parentheses, the part after the last comma, or the last word if it contains a digit;
 * each with its separator.
 */
const nameEnding = /(?:\s*[(（][^()（）]+[)）]|[,，、][^,，、]+|\s\S*\d\S*(?:\s[^\s\d]{1,3})?)$/u;

/** Where a name differs from all others that begin with the same words. */
function distinctStart(name: string, others: readonly string[]): number {
  let longest = 0;
  for (const other of others) {
    let same = 0;
    while (same < name.length && name[same] === other[same]) same += 1;
    if (other !== name && same > longest) longest = same;
  }
  // The split is between words, never within one.
  const word = name.lastIndexOf(' ', longest);
  return longest === name.length ? -1 : word;
}

/**
 * Splits a name in two. If it does not fit, its start is cut and its end kept, since the end
 * distinguishes "Soil temperature (30 cm)" from "Soil temperature (60 cm)", and "Soil temperature"
 * from "Soil moisture" beside it. The end is empty if nothing distinguishes the name.
 */
export function splitName(name: string, others: readonly string[] = []): [start: string, end: string] {
  const own = distinctStart(name, others);
  const at = own > 0 ? own : name.search(nameEnding);
  return at <= 0 ? [name, ''] : [name.slice(0, at), name.slice(at)];
}

/** Parentheses at the end with a length, after other words or alone. */
const depthEnding =
  /^(.+?)\s*([(（])(?:([^()（）]+?)\s*[,，、;]\s*)?(\d[\d.,–-]*\s*(?:cm|см|厘米|公分|m|м|米|mm|мм|毫米|in))([)）])$/iu;

/**
 * Splits a name that ends in a depth: "Soil moisture (vol., 10 cm)" into "Soil moisture, vol." and
 * " (10 cm)". Undefined for other names.
 */
export function splitDepth(name: string): [start: string, end: string] | undefined {
  const found = depthEnding.exec(name);
  if (!found) return undefined;
  const [, words = '', opening = '(', kind, depth = '', closing = ')'] = found;
  const wide = opening === '（';
  return [kind ? `${words}${wide ? '，' : ', '}${kind}` : words, `${wide ? '' : ' '}${opening}${depth}${closing}`];
}
