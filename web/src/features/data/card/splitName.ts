/** A part in parentheses, what follows the last comma, or the last word where it holds a figure; with what separates it. */
const nameEnding = /(?:\s*[(（][^()（）]+[)）]|[,，、][^,，、]+|\s\S*\d\S*(?:\s[^\s\d]{1,3})?)$/u;

/** Where a name goes on by itself: after the words that another one begins with, too. */
function distinctStart(name: string, others: readonly string[]): number {
  let longest = 0;
  for (const other of others) {
    let same = 0;
    while (same < name.length && name[same] === other[same]) same += 1;
    if (other !== name && same > longest) longest = same;
  }
  // What is told apart is a word, not half of one.
  const word = name.lastIndexOf(' ', longest);
  return longest === name.length ? -1 : word;
}

/**
 * A name in two: where it is too long its start is cut and its end kept, which is what tells "Soil temperature (30 cm)" from
 * "Soil temperature (60 cm)", and "Soil temperature" from "Soil moisture" beside it. The end is empty where nothing stands out.
 */
export function splitName(name: string, others: readonly string[] = []): [start: string, end: string] {
  const own = distinctStart(name, others);
  const at = own > 0 ? own : name.search(nameEnding);
  return at <= 0 ? [name, ''] : [name.slice(0, at), name.slice(at)];
}
