import type { Locator } from '@playwright/test';
import { figures, openHistory, plotOf, rowsOf, windowOf } from './history.ts';
import { sendWeather } from './historyTenant.ts';
import { expect, test } from './test.ts';

// The drawing of the chart, and its navigation.

test.beforeAll(sendWeather);

/**
 * The pixel columns of the first panel's canvas in which the first line is drawn, as fractions of
 * its width.
 */
async function drawnColumns(dialog: Locator): Promise<{ left: number; width: number; columns: boolean[] }> {
  return dialog
    .locator('[data-drawn] canvas')
    .first()
    .evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const probe = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--c1').trim();
      probe.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
      const { data, width, height } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
        0,
        0,
        canvas.width,
        canvas.height,
      );
      const columns = Array.from({ length: width }, (_, x) => {
        for (let y = 0; y < height; y += 1) {
          const at = 4 * (y * width + x);
          const far =
            Math.abs((data[at] ?? 0) - red) +
            Math.abs((data[at + 1] ?? 0) - green) +
            Math.abs((data[at + 2] ?? 0) - blue);
          if (far < 60 && (data[at + 3] ?? 0) > 100) return true;
        }
        return false;
      });
      const box = canvas.getBoundingClientRect();
      return { left: box.left, width: box.width, columns };
    });
}

test('a gap is hatched without a line across it, and figures and crosshair are those of the readings', async ({
  page,
}) => {
  const dialog = await openHistory(page, 'HS-0001');
  const words = dialog.getByText(/^No readings, 8.h/);
  await expect(words).toBeVisible();
  const gap = await words.locator('..').boundingBox();
  if (!gap) throw new Error('the gap has no box');
  const { left, width, columns } = await drawnColumns(dialog);
  const column = (x: number) => Math.round(((x - left) / width) * columns.length);
  const [from, to] = [column(gap.x), column(gap.x + gap.width)];
  expect(to - from).toBeGreaterThan(100);
  // The line's own thickness may reach two pixels into the gap.
  expect(columns.slice(from + 3, to - 3)).not.toContain(true);
  expect(columns.slice(from - 60, from - 3)).not.toContain(false);
  expect(columns.slice(to + 3, to + 60)).not.toContain(false);

  const view = await windowOf(dialog);
  const rows = await rowsOf('HS-0001', Math.ceil(view.from), Math.floor(view.to), ['airTemperature']);
  const values = rows.map(({ airTemperature }) => airTemperature as number);
  const text = (value: number) => value.toFixed(1).replace('-', '−');
  const cells = figures(dialog, /^Air temperature/).getByRole('cell');
  await expect(cells.first()).toHaveText(text(Math.min(...values)));
  await expect(cells.last()).toHaveText(text(Math.max(...values)));

  const plot = plotOf(dialog);
  await plot.focus();
  await page.keyboard.press('Home');
  await expect(plot).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`Air temperature ${text(values[0] ?? 0)}.°C, Relative`),
  );
  expect(Number(await plot.getAttribute('aria-valuenow'))).toBe(rows[0]?.collect_time);
});

test('the window: wheel, keys, buttons, drag, and its ends', async ({ page }) => {
  const dialog = await openHistory(page, 'HS-0001');
  const plot = plotOf(dialog);
  const box = await plot.boundingBox();
  if (!box) throw new Error('the plot has no box');
  const first = await windowOf(dialog);
  const length = async () => Math.round(((await windowOf(dialog)).length / first.length) * 100);

  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  const shareAtPointer = async () => {
    const { from: start, length: whole } = await windowOf(dialog);
    return (Number(await plot.getAttribute('aria-valuenow')) - start) / whole;
  };
  await expect.poll(shareAtPointer).toBeGreaterThan(0.4);
  const share = await shareAtPointer();
  await page.mouse.wheel(0, -300);
  await expect.poll(length).toBe(47);
  // The time under the pointer stays there.
  const closer = await shareAtPointer();
  expect(Math.abs(closer - share)).toBeLessThan(0.03);
  await page.mouse.wheel(0, 300);
  await expect.poll(length).toBe(100);

  await plot.focus();
  await page.keyboard.press('+');
  await expect.poll(length).toBe(50);
  const { from } = await windowOf(dialog);
  await page.keyboard.press('PageDown');
  await expect.poll(async () => (await windowOf(dialog)).from).toBeGreaterThan(from);
  await page.keyboard.press('-');
  await expect.poll(length).toBe(100);
  await page.keyboard.press('0');
  await expect.poll(length).toBe(500);
  await dialog.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(length).toBe(250);
  await dialog.getByRole('button', { name: 'Show the whole range' }).click();
  await expect.poll(length).toBe(500);
  for (let i = 0; i < 2; i += 1) await dialog.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(length).toBe(125);

  const before = await windowOf(dialog);
  await page.mouse.move(box.x + 300, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await windowOf(dialog)).from).toBeLessThan(before.from);

  const tail = dialog.getByRole('slider', { name: 'End of the part in view' });
  await tail.focus();
  await page.keyboard.press('End');
  await expect(tail).toHaveAttribute('aria-valuenow', '100');
});
