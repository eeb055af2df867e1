/**
 * Copies the text of an element to the clipboard. Returns false if the browser does not allow it;
 * the text is then selected.
 */
export async function copyText(element: HTMLElement): Promise<boolean> {
  try {
    // Only secure pages have a clipboard; a farm's own network often serves plain HTTP.
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    const selection = window.getSelection();
    selection?.selectAllChildren(element);
    // Deprecated, but the only way on insecure pages.
    const done = document.execCommand?.('copy') ?? false;
    if (done) selection?.removeAllRanges();
    return done;
  }
}
