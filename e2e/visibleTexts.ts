// These run in the page.

/** The elements that are wider than the page, the innermost first. */
export function wideElements(): string[] {
  const edge = document.documentElement.clientWidth;
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > edge + 0.5)
    .map((element) => `${element.tagName.toLowerCase()}.${element.className}`)
    .reverse()
    .slice(0, 6);
}

/** The visible texts, and those that screen readers say: text nodes and attributes. */
export function words(): string[] {
  const found = new Set<string>();
  const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const add = (text: string | null) => {
    const words = text?.trim() ?? '';
    if (/[A-Za-z]{2,}/.test(words)) found.add(words);
  };
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const parent = node.parentElement;
    if (parent && !parent.closest('script, style, noscript, code, pre, [lang]:not(html)') && isShown(parent))
      add(node.textContent);
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
    if (!isShown(element)) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
      // Nobody hears the icons' own labels: they are hidden, or their button has a label.
      const unheard = element.closest('[aria-hidden="true"]') ?? element.parentElement?.closest('button[aria-label]');
      if (name !== 'aria-label' || !unheard) add(element.getAttribute(name));
    }
  }
  return [...found];
}

/**
 * Texts that their element, or one around it, cuts off: it hides what overflows, and neither an
 * ellipsis with the whole text as a title nor a scroll bar leads to the rest.
 */
export function cutTexts(): string[] {
  const found = new Set<string>();
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    const shown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!hasText || !shown || element.closest('.visually-hidden, [aria-hidden="true"]')) continue;
    for (let box: HTMLElement | null = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (box.clientWidth <= 1 || box.clientHeight <= 1) break; // for screen readers only
      const hidesX = style.overflowX === 'hidden' || style.overflowX === 'clip';
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') break;
      if (!hidesX) continue;
      const right = element.getBoundingClientRect();
      const edge = box.getBoundingClientRect();
      const over =
        box === element
          ? box.scrollWidth - box.clientWidth
          : Math.max(right.right - edge.right, edge.left - right.left);
      if (over <= 1) continue;
      const shortened = style.textOverflow === 'ellipsis' || getComputedStyle(element).textOverflow === 'ellipsis';
      if (shortened && (box.closest('[title]') || box.querySelector('[title]'))) continue;
      found.add(
        `${element.tagName.toLowerCase()}.${element.className} "${element.textContent?.trim().slice(0, 80)}" by ${Math.round(over)} px`,
      );
      break;
    }
  }
  return [...found];
}
