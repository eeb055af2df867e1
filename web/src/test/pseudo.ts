// A language for tests, made from the English texts: each in brackets, a third longer, its letters
// accented, its placeholders and tags kept. What is still in plain letters was never translated. The
// server's tests have the same language in internal/tools/testkit/pseudo.

export type Texts = { [key: string]: string | Texts };

const plain = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const accented = [...'ÀƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽàƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž'];
/** A placeholder, a tag, or a reference to another text. */
const kept = /(\{\{[^}]*\}\}|<\/?\w+\s*\/?>|\$t\([^)]*\))/;

/** A text without letters, such as the mere order of its placeholders, stays as it is. */
export function pseudoText(text: string): string {
  const pieces = text.split(kept).map((piece, i) => ({ piece, fixed: i % 2 === 1 }));
  const words = pieces.filter(({ fixed }) => !fixed).map(({ piece }) => piece);
  if (!/[A-Za-z]/.test(words.join(''))) return text;
  const written = pieces.map(({ piece, fixed }) =>
    fixed ? piece : piece.replace(/[A-Za-z]/g, (letter) => accented[plain.indexOf(letter)] ?? letter),
  );
  return `[${written.join('')}${fill(Math.ceil(words.join('').length / 3))}]`;
}

/** As long as a word may be, so that lines break as between words. */
function fill(length: number): string {
  const words = Array.from({ length: Math.floor(length / 9) }, () => ' ········');
  return words.join('') + '·'.repeat(length % 9);
}

export function pseudoTexts(texts: Texts): Texts {
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [
      key,
      typeof value === 'string' ? pseudoText(value) : pseudoTexts(value),
    ]),
  );
}
