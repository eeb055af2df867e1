/**
 * The page's font rules that the characters of a text need, with the font itself inside, as CSS for
 * a picture that stands alone. The browser has the files already.
 */
export async function embeddedFontFaces(families: string, text: string): Promise<string> {
  const letters = new Set([...text].map((letter) => letter.codePointAt(0) ?? 0));
  const needed = fontFaceRules().filter(
    ({ style }) =>
      families.includes(unquoted(style.getPropertyValue('font-family'))) &&
      coversAny(style.getPropertyValue('unicode-range'), letters),
  );
  return (await Promise.all(needed.map(embed))).join('\n');
}

function fontFaceRules(): CSSFontFaceRule[] {
  return [...document.styleSheets]
    .filter(({ href }) => href === null || new URL(href, location.href).origin === location.origin)
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule): rule is CSSFontFaceRule => rule instanceof CSSFontFaceRule);
}

const unquoted = (name: string) => name.replace(/^["']|["']$/g, '');

/** Whether a font's range, such as U+0000-00FF, U+0131, U+4?? has one of the characters. */
export function coversAny(range: string, letters: ReadonlySet<number>): boolean {
  if (range === '') return letters.size > 0;
  return range.split(',').some((part) => {
    const [first = '', last = first] = part.trim().replace(/^U\+/i, '').split('-');
    const low = Number.parseInt(first.replaceAll('?', '0'), 16);
    const high = Number.parseInt(last.replaceAll('?', 'F'), 16);
    return [...letters].some((letter) => letter >= low && letter <= high);
  });
}

async function embed({ style, parentStyleSheet }: CSSFontFaceRule): Promise<string> {
  const source = /url\((["']?)(.+?)\1\)/.exec(style.getPropertyValue('src'))?.[2];
  if (source === undefined) throw new Error('a font without a file');
  const answer = await fetch(new URL(source, parentStyleSheet?.href ?? document.baseURI));
  if (!answer.ok) throw new Error(`the font answered ${answer.status}`);
  const address = await dataAddress(await answer.arrayBuffer());
  const rest = ['font-family', 'font-weight', 'font-style', 'unicode-range'].flatMap((name) => {
    const value = style.getPropertyValue(name);
    return value ? [`${name}: ${value};`] : [];
  });
  // Without `swap`, texts are invisible until the font is decoded.
  return `@font-face { ${rest.join(' ')} font-display: swap; src: url("${address}") format("woff2"); }`;
}

function dataAddress(content: ArrayBuffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([content], { type: 'font/woff2' }));
  });
}
