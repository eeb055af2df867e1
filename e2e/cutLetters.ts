// These run in the page.

/**
 * Letters whose upper or lower edge a box hides: a line that is too low for them, in a box that hides what overflows.
 * A line that is hidden whole is not meant: it is the end of a longer text.
 */
export function cutLetters(): string[] {
  const found = new Set<string>();
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) throw new Error('the browser measures no letters');
  const clips = ({ overflowY }: CSSStyleDeclaration) => overflowY === 'hidden' || overflowY === 'clip';
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const parent = node.parentElement;
    if (!text || !parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (parent.closest('.visually-hidden, svg, script, style')) continue;
    const style = getComputedStyle(parent);
    // Of large letters, since the browser measures in whole pixels.
    const scale = 32 / Number.parseFloat(style.fontSize);
    pen.font = `${style.fontStyle} ${style.fontWeight} 32px ${style.fontFamily}`;
    const shape = pen.measureText(style.textTransform === 'uppercase' ? text.toUpperCase() : text);
    const [above, below] = [shape.actualBoundingBoxAscent / scale, shape.actualBoundingBoxDescent / scale];
    const middle = (shape.fontBoundingBoxAscent - shape.fontBoundingBoxDescent) / scale / 2;
    const range = document.createRange();
    range.selectNodeContents(node);
    let lines = [...range.getClientRects()].map((line) => {
      // The font's own height is around the line's middle, however high the line is.
      const base = line.top + line.height / 2 + middle;
      return { top: base - above, bottom: base + below };
    });
    for (let box: Element | null = parent; box && box !== document.body; box = box.parentElement) {
      const around = getComputedStyle(box);
      if (around.display === 'inline') continue;
      if (box.clientWidth <= 1 || box.clientHeight <= 1) break; // for screen readers only
      if (around.overflowY === 'auto' || around.overflowY === 'scroll') break;
      if (!clips(around)) continue;
      const edge = box.getBoundingClientRect();
      const top = edge.top + box.clientTop;
      const bottom = top + box.clientHeight;
      lines = lines.filter((line) => line.top < bottom - 1 && line.bottom > top + 1);
      const most = Math.max(0, ...lines.map((line) => Math.max(line.bottom - bottom, top - line.top)));
      if (most <= 0.25) continue;
      found.add(`${parent.tagName.toLowerCase()}.${parent.className} "${text.slice(0, 80)}" by ${most.toFixed(1)} px`);
      break;
    }
  }
  return [...found];
}

/** Words of which a part is in the next line, without a hyphen. Codes and addresses have no words. */
export function brokenWords(): string[] {
  const found = new Set<string>();
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const isForReaders = (box: Element | null): boolean =>
    box !== null && (getComputedStyle(box).clipPath !== 'none' || isForReaders(box.parentElement));
  const linesOf = (range: Range) => new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const parent = node.parentElement;
    if (!parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (parent.closest('.visually-hidden, svg, code, pre, script, style')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if (linesOf(range) < 2) continue;
    const text = node.textContent ?? '';
    for (const { 0: word, index } of text.matchAll(/[\p{Script=Latin}\p{Script=Cyrillic}\p{M}]{2,}/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (linesOf(range) < 2) continue;
      if (getComputedStyle(parent).hyphens === 'auto' || isForReaders(parent)) continue;
      found.add(`${parent.tagName.toLowerCase()}.${parent.className} "${word}" of "${text.trim().slice(0, 80)}"`);
    }
  }
  return [...found];
}

/** Icons of which a number at their corner hides more than a quarter. */
export function coveredIcons(): string[] {
  const found = new Set<string>();
  for (const badge of document.body.querySelectorAll<HTMLElement>('a *, button *')) {
    if (getComputedStyle(badge).position !== 'absolute' || !/^\d/.test(badge.textContent)) continue;
    const over = badge.getBoundingClientRect();
    for (const icon of badge.closest('a, button')?.querySelectorAll('svg') ?? []) {
      const box = icon.getBoundingClientRect();
      const width = Math.min(over.right, box.right) - Math.max(over.left, box.left);
      const height = Math.min(over.bottom, box.bottom) - Math.max(over.top, box.top);
      const share = (Math.max(0, width) * Math.max(0, height)) / (box.width * box.height);
      if (share > 0.25) found.add(`"${badge.textContent}" hides ${Math.round(share * 100)} % of its icon`);
    }
  }
  return [...found];
}
