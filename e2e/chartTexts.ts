import type { Page } from '@playwright/test';

export interface TextBox {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** From now on each canvas records the texts drawn on it, in fractions of its size. */
export async function recordCanvasText(page: Page): Promise<void> {
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
export async function chartTextBoxes(page: Page): Promise<{ frame: TextBox; words: TextBox[] }> {
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

/** Texts that leave the frame, and pairs that overlap; letters may nearly touch those of the row above. */
export function collisions(frame: Pick<TextBox, 'left' | 'right'>, words: readonly TextBox[], high: number): string[] {
  const outside = words.filter(({ left, right }) => left < frame.left - 1 || right > frame.right + 1);
  const touching = words.flatMap((word, index) =>
    words.slice(index + 1).flatMap((other) => {
      const wide = Math.min(word.right, other.right) - Math.max(word.left, other.left);
      const tall = Math.min(word.bottom, other.bottom) - Math.max(word.top, other.top);
      return wide > 1 && tall > high ? [`${word.text} / ${other.text} touch`] : [];
    }),
  );
  return [...outside.map(({ text }) => `${text} leaves the chart`), ...touching];
}

/** What is wrong with the texts of the first chart on a canvas, which shows these among others. */
export async function unreadableTexts(page: Page, expected: readonly string[]): Promise<string[]> {
  const { frame, words } = await chartTextBoxes(page);
  const missing = expected.filter((text) => !words.some((word) => word.text === text));
  return [...missing.map((text) => `${text} is not in the chart`), ...collisions(frame, words, 5)];
}
