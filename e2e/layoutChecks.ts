import type { Locator, Page } from '@playwright/test';
import type { Farm } from './layoutData.ts';
import type { LayoutLanguage, Say } from './layoutWords.ts';

/** Where a visit stands: its page, in a language and a width. */
export interface At {
  page: Page;
  farm: Farm;
  language: LayoutLanguage;
  say: Say;
  width: number;
  /** The width is that of a phone. */
  phone: boolean;
}

export interface Visit {
  name: string;
  path: string;
  /** Opens what is not in the address: a dialog, a menu, errors of a form. Repeated if another width closes it. */
  open?: (at: At) => Promise<void>;
  /** Opened anew in each width: it keeps the place that it had in the other. */
  anew?: boolean;
  /** Undoes what is not gone with the page. */
  close?: (at: At) => Promise<void>;
  /** Texts that must be whole, without even an ellipsis. */
  whole?: (at: At) => Locator | undefined;
  /** What else must hold: gives the faults. */
  fits?: (at: At) => Promise<string[]>;
  /** Only where the screen is that narrow or wide. */
  only?: (width: number) => boolean;
  /** Loads the document anew, not only another page of it. */
  load?: boolean;
  /** The page keeps what it shows, a secret say, until somebody has stored it: only a new document is without it. */
  keeps?: boolean;
  /** What the server would answer to calls, by the end of their paths: its data, or the whole answer. */
  answers?: Record<string, unknown>;
}

export const phonesOnly = (width: number): boolean => width < 768;
export const desktopsOnly = (width: number): boolean => width >= 1280;

/** A width, the theme in which it is looked at, and of which visits axe is asked there. */
export interface Screen {
  width: 390 | 1024 | 1440 | 1920;
  dark: boolean;
  axe: 'all' | 'even' | 'odd' | 'none';
  /** Only pages at rest: nothing is opened. */
  atRest?: boolean;
}

export interface Lane {
  language: LayoutLanguage;
  screens: readonly Screen[];
}

/** Of a locator's elements, the texts that are not whole, even if an ellipsis says so. */
export async function notWhole(texts: Locator): Promise<string[]> {
  const cut = await texts.evaluateAll((elements) => [
    ...(elements.length === 0 ? ['nothing is there'] : []),
    ...elements.flatMap((element) => {
      const right = element.scrollWidth - element.clientWidth;
      const below = element.scrollHeight - element.clientHeight;
      const inline = getComputedStyle(element).display === 'inline';
      if (!element.checkVisibility()) return [`not visible: ${element.textContent}`];
      return !inline && Math.max(right, below) > 1 ? [`${element.textContent} by ${right}, ${below} px`] : [];
    }),
  ]);
  return cut.map((text) => `not whole: ${text}`);
}

/** Asks again for a while: a chart is drawn some frames after its frame has another width. */
export async function atLast(faultsOf: () => Promise<string[]>): Promise<string[]> {
  for (let turn = 0; turn < 30; turn += 1) {
    const faults = await faultsOf();
    if (faults.length === 0) return [];
    await new Promise((later) => setTimeout(later, 100));
  }
  return faultsOf();
}
