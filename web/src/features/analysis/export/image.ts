import type { Caption } from './caption';
import { embeddedFontFaces } from './fontFaces';
import { inlineStyles } from './inlineStyles';
import { placedLegend, textOf } from './legend';
import { wrapText } from './wrapText';

const svgSpace = 'http://www.w3.org/2000/svg';
const padding = 16;
const titleStyle = { size: 16, weight: 600, height: 22, color: '--ink' };
const legendHeight = 20;
const lineStyle = { size: 12, weight: 450, height: 17, color: '--ink2' };
type TextStyle = typeof titleStyle;
/** Between the caption and the chart. */
const gap = 10;
/** PNG pixels for each pixel of the page: sharp on dense screens and in print. */
const scale = 2;

/**
 * A picture of a chart that stands alone: with its caption above it, on the theme's background, in
 * the page's font.
 */
export async function exportImage(svg: SVGSVGElement, caption: Caption, kind: 'svg' | 'png'): Promise<Blob> {
  const picture = standalone(svg, caption);
  const fonts = await embeddedFontFaces(tokenOf(svg, '--font'), picture.textContent ?? '');
  if (fonts) {
    const style = document.createElementNS(svgSpace, 'style');
    style.textContent = fonts;
    // Readers take the title only from the first child.
    picture.querySelector('title')?.after(style);
  }
  const text = new XMLSerializer().serializeToString(picture);
  const file = new Blob([text], { type: 'image/svg+xml' });
  return kind === 'svg'
    ? file
    : rasterize(file, Number(picture.getAttribute('width')), Number(picture.getAttribute('height')));
}

const tokenOf = (element: Element, name: string) => getComputedStyle(element).getPropertyValue(name).trim();

function node(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function standalone(svg: SVGSVGElement, { title, lines }: Caption): SVGElement {
  const { width, height } = sizeOf(svg);
  const font = tokenOf(svg, '--font');
  const rows = [
    ...wrapText(title, width, `${titleStyle.weight} ${titleStyle.size}px ${font}`).map((text) => ({
      text,
      ...titleStyle,
    })),
    ...lines
      .flatMap((line) => wrapText(line, width, `${lineStyle.weight} ${lineStyle.size}px ${font}`))
      .map((text) => ({ text, ...lineStyle })),
  ];
  const legend = placedLegend(svg, width, `${lineStyle.weight} ${lineStyle.size}px ${font}`);
  const legendRows = (legend.at(-1)?.row ?? -1) + 1;
  const caption = rows.reduce((sum, row) => sum + row.height, 0);
  const head = caption + gap + (legendRows > 0 ? legendRows * legendHeight + gap : 0);
  const whole = { width: width + 2 * padding, height: head + height + 2 * padding };
  const picture = node('svg', { ...whole, viewBox: `0 0 ${whole.width} ${whole.height}`, role: 'img' });
  picture.append(
    node('title', {}, [title, ...lines].join('\n')),
    node('rect', { ...whole, fill: tokenOf(svg, '--surface') }),
  );
  let top = padding;
  for (const row of rows) {
    picture.append(captionLine(svg, row, { x: padding, top }, font));
    top += row.height;
  }
  for (const entry of legend) {
    const row = { text: entry.text, ...lineStyle, height: legendHeight };
    const rowTop = top + gap + entry.row * legendHeight;
    entry.swatch.setAttribute('x', String(padding + entry.x));
    entry.swatch.setAttribute('y', String(rowTop + (legendHeight - entry.height) / 2));
    picture.append(entry.swatch, captionLine(svg, row, { x: padding + textOf(entry), top: rowTop }, font));
  }
  picture.append(chartOf(svg, width, height, padding + head));
  return picture;
}

function captionLine(
  svg: SVGSVGElement,
  row: TextStyle & { text: string },
  { x, top }: { x: number; top: number },
  font: string,
): SVGElement {
  const { text, size, weight, height, color } = row;
  return node(
    'text',
    {
      x,
      y: top + height / 2 + size * 0.36,
      fill: tokenOf(svg, color),
      'font-family': font,
      'font-size': size,
      'font-weight': weight,
    },
    text,
  );
}

/** The chart with its styles inside, without what only serves a pointer or a keyboard. */
function chartOf(svg: SVGSVGElement, width: number, height: number, top: number): SVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  inlineStyles(svg, copy);
  for (const part of copy.querySelectorAll('[data-interactive]')) part.remove();
  for (const part of [copy, ...copy.querySelectorAll('*')]) {
    for (const { name } of [...part.attributes]) if (/^(data-|tabindex$|on)/.test(name)) part.removeAttribute(name);
  }
  // As on the page, what overflows the chart is seen.
  copy.style.setProperty('overflow', getComputedStyle(svg).overflow);
  copy.style.removeProperty('display');
  const box = { x: padding, y: top, width, height };
  for (const [name, value] of Object.entries(box)) copy.setAttribute(name, String(value));
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  return copy;
}

function sizeOf(svg: SVGSVGElement): { width: number; height: number } {
  const shown = svg.getBoundingClientRect();
  if (shown.width > 0 && shown.height > 0) return { width: Math.round(shown.width), height: Math.round(shown.height) };
  return { width: Number(svg.getAttribute('width')), height: Number(svg.getAttribute('height')) };
}

/** How often the picture is drawn at most, and how many times it must come out the same. */
const maxDrawings = 20;
const sameDrawings = 3;

/**
 * Draws until the picture stays the same: an image may be decoded before the fonts inside of it
 * are, and then lacks its texts, and no event tells when they are there.
 */
async function drawWithFonts(context: CanvasRenderingContext2D, image: HTMLImageElement): Promise<void> {
  const { width, height } = context.canvas;
  let before = '';
  let same = 0;
  for (let drawing = 0; drawing < maxDrawings && same < sameDrawings; drawing += 1) {
    context.clearRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    const is = context.canvas.toDataURL('image/webp', 0.1);
    same = is === before ? same + 1 : 0;
    before = is;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

async function rasterize(file: Blob, width: number, height: number): Promise<Blob> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no canvas');
    await drawWithFonts(context, image);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the canvas gave no picture'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
