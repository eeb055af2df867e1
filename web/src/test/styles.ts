import { afterAll } from 'vitest';

const own = window.getComputedStyle;
const computed = own.bind(window);

/**
 * jsdom's internal document, whose style cache is replaced after every change that may affect a
 * style.
 */
const inner = Object.getOwnPropertySymbols(document).find(({ description }) => description === 'impl') ?? '';
const documentVersion = (): unknown =>
  (document as unknown as Record<PropertyKey, { _styleCache?: object }>)[inner]?._styleCache;

let cachedVersion: unknown;
let computedStyles = new WeakMap<Element, CSSStyleDeclaration>();

/**
 * jsdom caches computed styles, but copies them property by property on each call, which is most of
 * the cost of queries by role and name. Here the same declaration is returned until something
 * changes.
 */
window.getComputedStyle = (element) => {
  // antd measures scroll bars with a pseudo-element, which jsdom does not support.
  const now = documentVersion();
  if (now === undefined) throw new Error('jsdom keeps its styles elsewhere now: update this file');
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
