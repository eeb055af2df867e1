/** Areas with their own tab order: focus that is lost in one is restored within it first. */
const areaSelector = '[role="dialog"], [role="alert"], [role="status"], main, header, aside, nav';
const focusableSelector =
  'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable="true"]';
/**
 * One of several similar rows: when the focused one is removed, the focus moves to its neighbour.
 */
const rowSelector = 'li, tr, article, [role="listitem"], [role="row"]';
/** Code that opens or closes something may set the focus itself; the restoration runs after it. */
const restoreDelayMs = 60;

/** Where the focus was: the element and its ancestors, the nearest first. */
interface FocusSpot {
  area: Element;
  path: Element[];
  /** The row after or before the removed one. */
  neighbour?: Element;
}

/**
 * Restores the focus when the focused element is removed or disabled: a deleted row, a finished
 * button, a dialog whose opener is gone. A browser would reset the focus to the top of the page.
 * Returns a function that stops it.
 */
export function restoreLostFocus(): () => void {
  /** The last place of each area, the latest at the end. */
  let spots: FocusSpot[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocusIn = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || target === document.body) return;
    const path = ancestorsOf(target);
    const area = target.closest(areaSelector) ?? path.at(-1) ?? target;
    spots = [...spots.filter((spot) => spot.area !== area && spot.area.isConnected), { area, path }];
  };

  const restoreFocus = () => {
    timer = undefined;
    const latest = spots.at(-1);
    if (!latest || (document.activeElement !== document.body && document.activeElement !== null)) return;
    if (canFocus(latest.path[0])) {
      // The element is still there: the user clicked beside it.
      spots = [];
      return;
    }
    for (const spot of spots.toReversed()) {
      const focusTarget = nextFocusTarget(spot);
      if (!focusTarget) continue;
      moveFocusTo(focusTarget);
      return;
    }
  };
  const scheduleRestore = () => {
    if (document.activeElement === document.body) timer ??= setTimeout(restoreFocus, restoreDelayMs);
  };

  const observer = new MutationObserver((changes) => {
    for (const change of changes) for (const spot of spots) updateNeighbour(spot, change);
    scheduleRestore();
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'inert', 'tabindex'],
  });
  // A browser that fires focusout does so before the element is removed.
  const onFocusOut = () => setTimeout(scheduleRestore);
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('focusout', onFocusOut);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', onFocusIn);
    document.removeEventListener('focusout', onFocusOut);
    clearTimeout(timer);
  };
}

function ancestorsOf(element: Element): Element[] {
  const path: Element[] = [];
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) path.push(at);
  return path;
}

function updateNeighbour(spot: FocusSpot, { removedNodes, nextSibling, previousSibling }: MutationRecord): void {
  for (const node of removedNodes) {
    if (!(node instanceof Element) || !node.matches(rowSelector)) continue;
    if (!spot.path.includes(node) && node !== spot.neighbour) continue;
    spot.neighbour = nearestRow(nextSibling, 'nextSibling') ?? nearestRow(previousSibling, 'previousSibling');
  }
}

function nearestRow(node: Node | null, way: 'nextSibling' | 'previousSibling'): Element | undefined {
  for (let at = node; at; at = at[way]) if (at instanceof Element && at.matches(rowSelector)) return at;
  return undefined;
}

/**
 * The element itself, its neighbour, or the nearest visible ancestor with text; of that its
 * heading, if it has one.
 */
function nextFocusTarget({ area, path, neighbour }: FocusSpot): Element | undefined {
  const [own, ...around] = path;
  if (canFocus(own)) return own;
  if (neighbour && isVisible(neighbour)) return neighbour;
  if (!area.isConnected) return undefined;
  const place = around.find(
    (candidate) => area.contains(candidate) && isVisible(candidate) && candidate.textContent.trim() !== '',
  );
  if (!place || place.matches(`main, ${rowSelector}`)) return place;
  return place.querySelector('h2, h3, h4') ?? place;
}

/** The target is not a control, so pressing Enter again does nothing. Tab continues from there. */
function moveFocusTo(focusTarget: Element): void {
  if (!(focusTarget instanceof HTMLElement)) return;
  if (!focusTarget.matches(focusableSelector)) {
    focusTarget.tabIndex = -1;
    focusTarget.addEventListener('blur', () => focusTarget.removeAttribute('tabindex'), { once: true });
  }
  focusTarget.focus({ preventScroll: true });
}

const isVisible = (element: Element) =>
  element.isConnected && (element.checkVisibility?.() ?? !element.closest('[hidden]'));

function canFocus(element: Element | undefined): boolean {
  if (!element || !isVisible(element)) return false;
  return element.matches(focusableSelector) && !element.matches(':disabled') && !element.closest('[inert]');
}
