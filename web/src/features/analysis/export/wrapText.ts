import { estimateWidth } from '@/ui/chart/measure';

/** The text in lines that fit into a width, in pixels; a word that is wider has a line of its own. */
export function wrapText(text: string, width: number, font: string): string[] {
  const widthOf = textWidth(font);
  const lines: string[] = [];
  let line = '';
  for (const piece of text.split(breaks)) {
    if (line !== '' && widthOf((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

/** The width of a text in a font, in pixels. */
export function textWidth(font: string): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = font;
  return (text) => context?.measureText(text).width ?? estimateWidth(text);
}

/** After spaces, and around Chinese characters, which have none. */
const breaks = /(?<=[ \t])|(?<=\p{Script=Han})(?=\p{Script=Han})/u;
