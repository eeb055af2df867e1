import type { Page } from '@playwright/test';
import { seriousFindings } from './axeFindings.ts';
import { recordCanvasText } from './chartTexts.ts';
import { brokenWords, coveredIcons, cutLetters } from './cutLetters.ts';
import { type At, atLast, type Lane, notWhole, phonesOnly, type Screen, type Visit } from './layoutChecks.ts';
import type { Farm } from './layoutData.ts';
import { arrived, countOpen, forgetAnswers, pushAddress, settled, watchCalls } from './layoutPage.ts';
import { deadCamera } from './layoutTenant.ts';
import { type LayoutLanguage, sayIn, serveTexts, untranslated } from './layoutWords.ts';
import { addresses } from './server.ts';
import { openSession, storeSession, type TestUser } from './testUsers.ts';
import { cutTexts, wideElements, words } from './visibleTexts.ts';

const heights = { 390: 844, 1024: 768, 1440: 900, 1920: 1080 };
/** A small page, on which nothing of the page before is left. */
const neutral = '/rtl-page';

/** Visits pages and dialogs in languages, widths and themes, and gathers what is wrong there. */
export class Sweep {
  readonly faults: string[] = [];
  /** What the server answered, which is data and not the console's text. */
  private readonly data = new Set<string>();
  /** Calls of other servers, and what the page's policy refused, since the last look. */
  private strange: string[] = [];
  /** Something is open that is not in the address. */
  private opened = false;
  /** It stands above the page. */
  private above = false;
  /** The document is of this language and person. */
  private fresh = false;
  /** What was fetched is the server's answer. */
  private genuine = true;
  private dark: boolean | undefined;
  private readonly page: Page;
  private readonly farm: Farm;

  constructor(page: Page, farm: Farm) {
    this.page = page;
    this.farm = farm;
  }

  async begin(): Promise<void> {
    const { page } = this;
    await recordCanvasText(page);
    await page.addInitScript(watchCalls);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    // What is missing is a fault of its visit; the others are looked at all the same.
    page.setDefaultTimeout(60_000);
    page.on('request', (request) => {
      const { host, protocol, href } = new URL(request.url());
      if (host !== addresses().http && protocol.startsWith('http')) this.strange.push(`another server: ${href}`);
    });
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.strange.push(message.text());
    });
  }

  /** Makes all visits in a language as a person, or without one. */
  async run(visits: readonly Visit[], { language, screens }: Lane, person?: TestUser): Promise<void> {
    const { page } = this;
    this.fresh = false;
    await serveTexts(page, language);
    await page.goto(`${addresses().console}/favicon.svg`);
    await page.evaluate(
      (code) => {
        localStorage.clear();
        localStorage.setItem('tilth.language', code);
        localStorage.setItem('tilth.preferences', JSON.stringify({ state: { followSystem: true }, version: 0 }));
      },
      language === 'pseudo' ? 'en-us' : language,
    );
    if (person) await storeSession(page, await openSession(person));
    for (const [number, visit] of visits.entries()) {
      // Back and forth: the next visit begins at the width of the last look.
      const turned = number % 2 === 0 ? screens : screens.toReversed();
      await this.visit(visit, language, turned, number);
    }
  }

  private async visit(visit: Visit, language: LayoutLanguage, screens: readonly Screen[], number: number) {
    const { page, farm } = this;
    const shown = screens.filter(({ width, atRest }) => (visit.only?.(width) ?? true) && !(atRest && visit.open));
    const restore = await this.answer(visit.answers);
    let at: At | undefined;
    let count = 0;
    for (const { width, dark, axe } of shown) {
      const first = at === undefined;
      at = { page, farm, language, say: sayIn(language), width, phone: phonesOnly(width) };
      const place = `${visit.name}, ${language}, ${width} px, ${dark ? 'dark' : 'light'}`;
      try {
        if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: heights[width] });
        if (this.dark !== dark) await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        this.dark = dark;
        if (first || !(await this.stays(visit, count))) {
          if (!first) await visit.close?.(at);
          await this.go(visit);
          this.opened = visit.open !== undefined;
          await visit.open?.(at);
          if (visit.open) await page.evaluate(settled);
          count = await page.evaluate(countOpen);
          this.above = count > 0;
        }
        const asks = axe === 'all' || axe === (number % 2 === 0 ? 'even' : 'odd');
        const faults = await this.look(visit, at, asks);
        this.faults.push(...faults.map((fault) => `${place}: ${fault}`));
      } catch (error) {
        this.faults.push(`${place}: ${String(error).split('\n').slice(0, 3).join(' ')}`);
      }
    }
    if (at) await visit.close?.(at);
    await restore();
    if (visit.keeps) this.fresh = false;
  }

  /** Whether what the visit shows is still there in another width. */
  private async stays({ open, anew }: Visit, count: number): Promise<boolean> {
    if (anew) return false;
    await this.page.evaluate(settled);
    return !open || (count > 0 && (await this.page.evaluate(countOpen)) === count);
  }

  /** Answers calls in the server's place; gives what ends this. */
  private async answer(answers: Visit['answers'] = {}): Promise<() => Promise<void>> {
    const routes = Object.entries(answers).map(([path, data]) => ({
      at: new RegExp(`${path}(\\?|$)`),
      json: typeof data === 'object' && data && 'whole' in data ? data.whole : { code: 200, data, msg: '' },
    }));
    for (const { at, json } of routes) await this.page.route(at, (route) => route.fulfill({ json }));
    if (routes.length > 0) this.genuine = false;
    return async () => {
      for (const { at } of routes) await this.page.unroute(at);
      if (routes.length > 0) this.genuine = false;
    };
  }

  /** Whether Escape leads back to a page without anything open: faster than a visit of another page between. */
  private async closesTo(path: string): Promise<boolean> {
    const { page } = this;
    const isThere = () => decodeURI(page.url()) === addresses().console + path;
    if (!this.opened || !this.above || !isThere()) return false;
    await page.keyboard.press('Escape');
    await page.evaluate(settled);
    return isThere() && (await page.evaluate(countOpen)) === 0;
  }

  private async go({ path, load }: Visit): Promise<void> {
    const { page } = this;
    if (load || !this.fresh) await page.goto(addresses().console + path);
    else {
      if (this.genuine && (await this.closesTo(path))) return;
      if (this.opened || !this.genuine) {
        await page.evaluate(pushAddress, neutral);
        await page.waitForFunction(arrived, neutral);
      }
      if (!this.genuine) await page.evaluate(forgetAnswers);
      await page.evaluate(pushAddress, path);
    }
    await page.evaluate(settled);
    this.fresh = true;
    this.genuine = true;
  }

  private async withoutRoom(): Promise<string[]> {
    const { page } = this;
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    const wide = over > 0 ? [`${over} px too wide: ${await page.evaluate(wideElements)}`] : [];
    const found = async (fault: string, scan: () => string[]) =>
      (await page.evaluate(scan)).map((text) => `${fault}: ${text}`);
    return [
      ...wide,
      ...(await found('cut off', cutTexts)),
      ...(await found('cut letters', cutLetters)),
      ...(await found('broken word', brokenWords)),
      ...(await found('covered icon', coveredIcons)),
    ];
  }

  private async look(visit: Visit, at: At, asksAxe: boolean): Promise<string[]> {
    const { page, data } = this;
    const faults = await atLast(() => this.withoutRoom());
    const whole = visit.whole?.(at);
    if (whole) faults.push(...(await notWhole(whole)));
    if (visit.fits) faults.push(...(await visit.fits(at)));
    if (at.language === 'pseudo') {
      const answers = await page.evaluate(() =>
        (window as unknown as { layoutCalls: { answers: string[] } }).layoutCalls.answers.splice(0),
      );
      for (const text of answers) data.add(text);
      faults.push(...untranslated(await page.evaluate(words), data).map((text) => `untranslated: ${text}`));
    }
    if (asksAxe) faults.push(...(await seriousFindings(page)));
    faults.push(...this.strange.splice(0).filter((text) => !text.includes(deadCamera)));
    return faults;
  }
}
