/** Puts the text of an element on the clipboard. Where the browser does not let it, false: the text then stands selected. */
export async function copyText(element: HTMLElement): Promise<boolean> {
  try {
    // Only secure pages have a clipboard; a farm's own network often is none.
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    const selection = window.getSelection();
    selection?.selectAllChildren(element);
    // Deprecated, and all there is on such pages.
    const done = document.execCommand?.('copy') ?? false;
    if (done) selection?.removeAllRanges();
    return done;
  }
}
