import { expect, type Locator, type Page } from '@playwright/test';
import { gapPosition } from './gapPosition.ts';

/**
 * The piece's maximum travel, in the basis of the captcha's coordinates: the picture's 310 without
 * the piece's 47.
 */
const maxTravel = 263;

/**
 * The open captcha: its dialog, the slider's handle, and the element with the outcome as an
 * attribute.
 */
export function captchaOf(page: Page): { panel: Locator; slider: Locator; outcome: Locator } {
  const panel = page.getByRole('dialog').filter({ has: page.getByRole('slider') });
  return { panel, slider: panel.getByRole('slider'), outcome: panel.locator('[data-phase]') };
}

/** Moves the piece to a place in the captcha's basis and submits it: by mouse, or otherwise. */
export type Move = (page: Page, slider: Locator, x: number) => Promise<void>;

/**
 * Solves the open slider captcha like a user: finds the piece's place and drags the handle there.
 * The detection fails now and then; then it solves another picture.
 */
export async function solveSlider(page: Page, move: Move = dragTo): Promise<void> {
  const { panel, outcome } = captchaOf(page);
  for (let tries = 0; tries < 4; tries += 1) {
    if (await placePiece(page, move)) {
      await expect(panel).toBeHidden();
      return;
    }
    await expect(outcome).not.toHaveAttribute('data-phase', 'fail');
  }
  throw new Error('four captchas were not solved');
}

/** Tries the current picture: returns whether the detected place was right. */
export async function placePiece(page: Page, move: Move): Promise<boolean> {
  const { panel, slider, outcome } = captchaOf(page);
  await expect(outcome).toHaveAttribute('data-phase', 'idle');
  const [background = '', piece = ''] = await panel.locator('img').evaluateAll(picturesOf);
  return (await outcomeOf(page, () => move(page, slider, gapPosition(background, piece)))) === 'ok';
}

/**
 * The outcome of a check: `ok` or `fail`. It is shown for a second, which may be over before a slow
 * test looks: the page itself records it.
 */
async function outcomeOf(page: Page, act: () => Promise<void>): Promise<string> {
  const [came] = await Promise.all([captchaOf(page).outcome.evaluate(noteOutcome), act()]);
  return came;
}

/** Runs in the page. */
function noteOutcome(track: Element): Promise<string> {
  return new Promise((done) => {
    const poll = () => {
      const phase = track.getAttribute('data-phase') ?? '';
      if (phase === 'ok' || phase === 'fail') done(phase);
    };
    new MutationObserver(poll).observe(track, { attributes: true, attributeFilter: ['data-phase'] });
  });
}

/** The base64 data in the pictures' addresses. Runs in the page. */
function picturesOf(images: Element[]): string[] {
  return images.map((image) => (image as HTMLImageElement).src.split(',')[1] ?? '');
}

/**
 * Grabs the handle with the mouse and releases it where the piece's left edge is at `x` in the
 * basis; waits for `before` first.
 */
export async function dragTo(
  page: Page,
  slider: Locator,
  x: number,
  before: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { from, travel } = await handleOf(slider);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + (x / maxTravel) * travel, from.y, { steps: 12 });
  await before();
  await page.mouse.up();
}

/** Like dragTo, with a finger. */
export async function swipeTo(page: Page, slider: Locator, x: number): Promise<void> {
  const { from, travel } = await handleOf(slider);
  const screen = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    screen.send('Input.dispatchTouchEvent', { type, touchPoints });
  await touch('touchStart', [from]);
  for (let step = 1; step <= 12; step += 1) {
    // A finger does not move in a straight line.
    await touch('touchMove', [{ x: from.x + (x / maxTravel) * travel * (step / 12), y: from.y + step }]);
  }
  await touch('touchEnd', []);
}

/** With the keys alone; the slider must have the focus. */
export async function stepTo(page: Page, slider: Locator, x: number): Promise<void> {
  await expect(slider).toBeFocused();
  for (let coarse = 0; coarse < Math.floor(x / 10); coarse += 1) await page.keyboard.press('Shift+ArrowRight');
  for (let fine = 0; fine < x % 10; fine += 1) await page.keyboard.press('ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuenow', String(x));
  await page.keyboard.press('Enter');
}

/** The middle of the handle and its travel, in screen pixels. */
async function handleOf(slider: Locator): Promise<{ from: { x: number; y: number }; travel: number }> {
  const handle = await slider.boundingBox();
  const track = await slider.locator('..').boundingBox();
  if (!handle || !track) throw new Error('the slider is not on the page');
  return {
    from: { x: handle.x + handle.width / 2, y: handle.y + handle.height / 2 },
    travel: track.width - handle.width,
  };
}
