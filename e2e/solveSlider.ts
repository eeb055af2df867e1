import { expect, type Locator, type Page } from '@playwright/test';
import { placeOf } from './captchaPlace.ts';

/** How far the piece can go, in the basis of the captcha's coordinates: the picture's 310 without the piece's 47. */
const farthest = 263;

/**
 * Solves the slider captcha that is open as a person does: sees where the piece belongs and drags the handle there. Eyes are misled
 * now and then, and then there is another picture.
 */
export async function solveSlider(page: Page): Promise<void> {
  const panel = page.getByRole('dialog').filter({ has: page.getByRole('slider') });
  const slider = panel.getByRole('slider');
  const outcome = panel.locator('[data-phase]');
  for (let tries = 0; tries < 4; tries += 1) {
    await expect(outcome).toHaveAttribute('data-phase', 'idle');
    const [background = '', piece = ''] = await panel.locator('img').evaluateAll(picturesOf);
    await dragTo(page, slider, placeOf(background, piece));
    await expect(outcome).toHaveAttribute('data-phase', /ok|fail/);
    if ((await outcome.getAttribute('data-phase')) === 'ok') {
      await expect(panel).toBeHidden();
      return;
    }
    await expect(outcome).not.toHaveAttribute('data-phase', 'fail');
  }
  throw new Error('four captchas were not solved');
}

/** What stands in base64 in the pictures' addresses. Runs in the page. */
function picturesOf(images: Element[]): string[] {
  return images.map((image) => (image as HTMLImageElement).src.split(',')[1] ?? '');
}

/** Takes the handle with the mouse and lets go where the piece's left edge stands at `x` in the basis. */
async function dragTo(page: Page, slider: Locator, x: number): Promise<void> {
  const handle = await slider.boundingBox();
  const track = await slider.locator('..').boundingBox();
  if (!handle || !track) throw new Error('the slider is not on the page');
  const from = { x: handle.x + handle.width / 2, y: handle.y + handle.height / 2 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + (x / farthest) * (track.width - handle.width), from.y, { steps: 12 });
  await page.mouse.up();
}
