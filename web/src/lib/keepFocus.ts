/** What holds its own order of the keyboard: what is lost in it is looked for in it first. */
const areas = '[role="dialog"], [role="alert"], [role="status"], main, header, aside, nav';
const focusable = 'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable="true"]';
/** One of several like it: when it goes, the person goes on with its neighbour. */
const rows = 'li, tr, article, [role="listitem"], [role="row"]';
/** Whoever opened or closed something puts the keyboard back by themselves; this comes after them. */
const patience = 60;

/** Where the keyboard was: the element and all that it stood in, the nearest first. */
interface Spot {
  area: Element;
  path: Element[];
  /** The row after or before the one that went with it. */
  neighbour?: Element;
}

/**
 * Takes the keyboard on when what had it goes from the page or is disabled: a deleted row, a button that is done with, a dialog
 * whose opener is gone. A browser would leave it at the page's top. Returns what ends it.
 */
export function keepFocus(): () => void {
  /** The last place of each area, the latest at the end. */
  let spots: Spot[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const entered = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || target === document.body) return;
    const path = pathOf(target);
    const area = target.closest(areas) ?? path.at(-1) ?? target;
    spots = [...spots.filter((spot) => spot.area !== area && spot.area.isConnected), { area, path }];
  };

  const look = () => {
    timer = undefined;
    const latest = spots.at(-1);
    if (!latest || (document.activeElement !== document.body && document.activeElement !== null)) return;
    if (canFocus(latest.path[0])) {
      // It is still there: the person has left it, with a click beside it.
      spots = [];
      return;
    }
    for (const spot of spots.toReversed()) {
      const heir = heirOf(spot);
      if (!heir) continue;
      take(heir);
      return;
    }
  };
  const lookSoon = () => {
    if (document.activeElement === document.body) timer ??= setTimeout(look, patience);
  };

  const observer = new MutationObserver((changes) => {
    for (const change of changes) for (const spot of spots) noteNeighbour(spot, change);
    lookSoon();
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'inert', 'tabindex'],
  });
  // A browser that tells of the loss does so before what had the keyboard is gone.
  const left = () => setTimeout(lookSoon);
  document.addEventListener('focusin', entered);
  document.addEventListener('focusout', left);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', entered);
    document.removeEventListener('focusout', left);
    clearTimeout(timer);
  };
}

function pathOf(element: Element): Element[] {
  const path: Element[] = [];
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) path.push(at);
  return path;
}

function noteNeighbour(spot: Spot, { removedNodes, nextSibling, previousSibling }: MutationRecord): void {
  for (const node of removedNodes) {
    if (!(node instanceof Element) || !node.matches(rows)) continue;
    if (!spot.path.includes(node) && node !== spot.neighbour) continue;
    spot.neighbour = rowFrom(nextSibling, 'nextSibling') ?? rowFrom(previousSibling, 'previousSibling');
  }
}

function rowFrom(node: Node | null, way: 'nextSibling' | 'previousSibling'): Element | undefined {
  for (let at = node; at; at = at[way]) if (at instanceof Element && at.matches(rows)) return at;
  return undefined;
}

/** Itself again, its neighbour, or the nearest of what it stood in that is there and says something: by its heading, if it has one. */
function heirOf({ area, path, neighbour }: Spot): Element | undefined {
  const [own, ...around] = path;
  if (canFocus(own)) return own;
  if (neighbour && isSeen(neighbour)) return neighbour;
  if (!area.isConnected) return undefined;
  const place = around.find((one) => area.contains(one) && isSeen(one) && one.textContent.trim() !== '');
  if (!place || place.matches(`main, ${rows}`)) return place;
  return place.querySelector('h2, h3, h4') ?? place;
}

/** The place is no control: pressed once more, Enter does nothing that nobody has asked for. Tab goes on from there. */
function take(heir: Element): void {
  if (!(heir instanceof HTMLElement)) return;
  if (!heir.matches(focusable)) {
    heir.tabIndex = -1;
    heir.addEventListener('blur', () => heir.removeAttribute('tabindex'), { once: true });
  }
  heir.focus({ preventScroll: true });
}

const isSeen = (element: Element) =>
  element.isConnected && (element.checkVisibility?.() ?? !element.closest('[hidden]'));

function canFocus(element: Element | undefined): boolean {
  if (!element || !isSeen(element)) return false;
  return element.matches(focusable) && !element.matches(':disabled') && !element.closest('[inert]');
}
