import type { Page } from '@playwright/test';
import { labUser, sendLongNumbers } from './chartTenant.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// All texts of the charts are readable, however long they are: none is cut off, none overlaps
// another.

test.beforeAll(sendLongNumbers);

interface TextBox {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** From now on each canvas records the texts drawn on it, in fractions of its size. */
async function recordCanvasText(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const drawn = new WeakMap<HTMLCanvasElement, unknown[]>();
    Object.assign(globalThis, { wordsOn: (canvas: HTMLCanvasElement) => drawn.get(canvas) ?? [] });
    const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function clear(...box) {
      drawn.delete(this.canvas);
      clearRect.apply(this, box);
    };
    CanvasRenderingContext2D.prototype.fillText = function write(text, x, y, most) {
      const { actualBoundingBoxLeft, actualBoundingBoxRight, actualBoundingBoxAscent, actualBoundingBoxDescent } =
        this.measureText(text);
      const place = (dx: number, dy: number) => this.getTransform().transformPoint({ x: x + dx, y: y + dy });
      const first = place(-actualBoundingBoxLeft, -actualBoundingBoxAscent);
      const last = place(actualBoundingBoxRight, actualBoundingBoxDescent);
      const { width, height } = this.canvas;
      const words = {
        text,
        left: first.x / width,
        right: last.x / width,
        top: first.y / height,
        bottom: last.y / height,
      };
      drawn.set(this.canvas, [...(drawn.get(this.canvas) ?? []), words]);
      if (most === undefined) fillText.call(this, text, x, y);
      else fillText.call(this, text, x, y, most);
    };
  });
}

/**
 * All texts of the chart, from the canvas and the page, in screen pixels; and the frame that they
 * may not leave.
 */
async function chartTextBoxes(page: Page): Promise<{ frame: TextBox; words: TextBox[] }> {
  return page
    .locator('canvas')
    .first()
    .evaluate((canvas) => {
      const { wordsOn } = globalThis as unknown as { wordsOn: (canvas: Element) => TextBox[] };
      const box = canvas.getBoundingClientRect();
      const onCanvas = wordsOn(canvas).map(({ text, left, right, top, bottom }) => ({
        text,
        left: box.left + left * box.width,
        right: box.left + right * box.width,
        top: box.top + top * box.height,
        bottom: box.top + bottom * box.height,
      }));
      // The chart's container holds the canvas and the page's texts over it.
      let place: Element = canvas;
      while (place.parentElement && !place.querySelector('text, span')) place = place.parentElement;
      const beside = [...place.querySelectorAll('text, span')].flatMap((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const text = element.textContent ?? '';
        return text.trim() === '' || element.children.length > 0 ? [] : [{ text, left, right, top, bottom }];
      });
      const { left, right, top, bottom } = box;
      return { frame: { text: '', left, right, top, bottom }, words: [...onCanvas, ...beside] };
    });
}

/** Long numbers, as each language writes them. */
const numbers = {
  'en-us': ['150,000', '−60,000', '0.00015'],
  'zh-cn': ['150,000', '−60,000', '0.00015'],
  'tr-tr': ['150.000', '−60.000', '0,00015'],
  'ru-ru': ['150\u00a0000', '−60\u00a0000', '0,00015'],
};

async function expectReadable(page: Page, texts: readonly string[]): Promise<void> {
  await expect
    .poll(async () => (await chartTextBoxes(page)).words.map(({ text }) => text))
    .toEqual(expect.arrayContaining([...texts]));
  const { frame, words } = await chartTextBoxes(page);
  for (const { text, left, right } of words) {
    expect(left, `${text} starts within the chart`).toBeGreaterThanOrEqual(frame.left - 1);
    expect(right, `${text} ends within the chart`).toBeLessThanOrEqual(frame.right + 1);
  }
  // Letters may nearly touch those of the row above, but not overlap them.
  const touching = words.flatMap((word, index) =>
    words.slice(index + 1).flatMap((other) => {
      const wide = Math.min(word.right, other.right) - Math.max(word.left, other.left);
      const high = Math.min(word.bottom, other.bottom) - Math.max(word.top, other.top);
      return wide > 1 && high > 5 ? [`${word.text} / ${other.text}`] : [];
    }),
  );
  expect(touching).toEqual([]);
}

for (const [language, [light, head, trace]] of Object.entries(numbers)) {
  test(`long numbers and units are readable, in ${language}`, async ({ page }) => {
    await recordCanvasText(page);
    await page.addInitScript((code) => localStorage.setItem('tilth.language', code), language);
    await openSignedIn(page, labUser, '/data?device=PL-0001&history=1');
    for (const [width, height] of [
      [1440, 900],
      [768, 1024],
      [360, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect(page.locator('[data-drawn=true]')).toBeVisible();
      await expectReadable(page, [light as string, head as string, trace as string]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/inform');
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 1000 });
      if (width === 1440)
        await page
          .getByRole('link', { name: /Long numbers/ })
          .first()
          .click();
      await expectReadable(page, [trace as string]);
    }
  });
}

test('a month in Turkish, in the dark: days at even distances from the first to the last, none cut off', async ({
  page,
}) => {
  await recordCanvasText(page);
  await page.addInitScript(() => {
    localStorage.setItem('tilth.language', 'tr-tr');
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 }));
  });
  await openSignedIn(page, labUser, '/data?device=PL-0001&history=1');
  const dialog = page.getByRole('dialog');
  // Only waits, also on busy machines.
  await expect(dialog.locator('[data-drawn=true]')).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole('radiogroup', { name: 'Zaman aralığı' }).getByText('30 gün', { exact: true }).click();
  await dialog.getByRole('slider', { name: 'Grafikteki zaman' }).press('0');
  const months = ['Oca', 'Şub', 'Mar', 'Nis', 'May', 'Haz', 'Tem', 'Ağu', 'Eyl', 'Eki', 'Kas', 'Ara'];
  const ends = ['Başlangıç', 'Bitiş'].map(async (name) => {
    const [day, month, year] = (await dialog.getByLabel(name, { exact: true }).inputValue()).split(/[. ]/).map(Number);
    return Date.UTC(year ?? 0, (month ?? 0) - 1, day);
  });
  const [start = 0, end = 0] = await Promise.all(ends);
  /** The days after the first one of the range, and where they stand. */
  const ticks = async () => {
    const { frame, words } = await chartTextBoxes(page);
    return words
      .filter(({ top, bottom }) => top >= frame.top && bottom <= frame.bottom)
      .flatMap(({ text, left, right }) => {
        const [, day, name] = /^(\d{1,2}) (\S{3})$/.exec(text) ?? [];
        const month = months.indexOf(name ?? '');
        if (month < 0) return [];
        const year = new Date(month > new Date(end).getUTCMonth() ? start : end).getUTCFullYear();
        return [{ after: (Date.UTC(year, month, Number(day)) - start) / 86_400_000, x: (left + right) / 2 }];
      })
      .toSorted((one, other) => one.x - other.x);
  };
  await expect.poll(async () => (await ticks()).length).toBeGreaterThan(5);
  const shown = await ticks();
  const pace = (shown[1]?.after ?? 0) - (shown[0]?.after ?? 0);
  const wide = (shown[1]?.x ?? 0) - (shown[0]?.x ?? 0);
  for (const [index, { after, x }] of shown.entries()) {
    expect(after).toBe((shown[0]?.after ?? 0) + index * pace);
    expect(Math.abs(x - (shown[0]?.x ?? 0) - index * wide)).toBeLessThanOrEqual(2);
  }
  expect(shown[0]?.after).toBeLessThanOrEqual(pace);
  expect(shown.at(-1)?.after).toBeGreaterThan((end - start) / 86_400_000 - pace);
  await expectReadable(page, []);
});
