import { afterAll } from 'vitest';

const own = window.getComputedStyle;
const computed = own.bind(window);

/** jsdom's own document, whose cache of styles is another one after every change that may concern a style. */
const inner = Object.getOwnPropertySymbols(document).find(({ description }) => description === 'impl') ?? '';
const documentVersion = (): unknown =>
  (document as unknown as Record<PropertyKey, { _styleCache?: object }>)[inner]?._styleCache;

let cachedVersion: unknown;
let computedStyles = new WeakMap<Element, CSSStyleDeclaration>();

/**
 * jsdom remembers what styles it worked out, but copies them property by property for whoever asks, which is most of what looking for
 * roles and names costs. Here the same declaration is given out until something changes.
 */
window.getComputedStyle = (element) => {
  // antd measures scroll bars with a pseudo-element, of which jsdom only says that it has none.
  const now = documentVersion();
  if (now === undefined)
    throw new Error('jsdom keeps its styles elsewhere now: look again at what this file knows of it');
  if (now !== cachedVersion) {
    cachedVersion = now;
    computedStyles = new WeakMap();
  }
  let style = computedStyles.get(element);
  if (!style) {
    style = computed(element);
    computedStyles.set(element, style);
  }
  return style;
};

afterAll(() => {
  window.getComputedStyle = own;
});
