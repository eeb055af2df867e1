/**
 * The properties that decide how the elements of a chart look, and whether children inherit them;
 * of those that are not inherited, the value that changes nothing.
 */
const inherited = [
  'fill',
  'fill-opacity',
  'fill-rule',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-dashoffset',
  'stroke-linecap',
  'stroke-linejoin',
  'paint-order',
  'shape-rendering',
  'visibility',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'font-variant-numeric',
  'letter-spacing',
  'text-anchor',
] as const;
const own: Readonly<Record<string, string>> = {
  display: 'inline',
  opacity: '1',
  'dominant-baseline': 'auto',
  'vector-effect': 'none',
  'clip-path': 'none',
  mask: 'none',
  'mix-blend-mode': 'normal',
  'stop-color': 'rgb(0, 0, 0)',
  'stop-opacity': '1',
};

/**
 * Writes the computed style of each element into its copy, which then needs no style sheet. What a
 * copy inherits from its parent is not repeated: a chart may have thousands of dots.
 */
export function inlineStyles(source: Element, copy: Element): void {
  copyStyle(source, copy, undefined);
}

function copyStyle(source: Element, copy: Element, parent: CSSStyleDeclaration | undefined): void {
  const style = getComputedStyle(source);
  const written: string[] = [];
  const write = (name: string, needed: (value: string) => boolean) => {
    const value = style.getPropertyValue(name);
    if (value === '') return;
    copy.removeAttribute(name);
    if (needed(value)) written.push(`${name}: ${value}`);
  };
  for (const name of inherited) write(name, (value) => value !== parent?.getPropertyValue(name));
  for (const [name, initial] of Object.entries(own)) write(name, (value) => value !== initial);
  const transform = (source as SVGElement).style.getPropertyValue('transform');
  if (transform) written.push(`transform: ${transform}`);
  copy.removeAttribute('class');
  if (written.length > 0) copy.setAttribute('style', written.join('; '));
  else copy.removeAttribute('style');
  // Both have the same children: the copy is deep and was not changed yet.
  Array.from(source.children).forEach((child, index) => {
    const childCopy = copy.children[index];
    if (childCopy) copyStyle(child, childCopy, style);
  });
}
