import type { Page } from '@playwright/test';
import { button, expectAccessible, toast } from './pages.ts';
import { type Colour, striped } from './picture.ts';
import { addProfileUser, bar, host, open } from './profileUsers.ts';
import { expect, test } from './test.ts';
import { setOwnAddress } from './testUsers.ts';

// The profile picture: cropped here, shown everywhere. Each test has its own user with its own
// phone number.

test.use({ host });
test.beforeEach(({ context }) => setOwnAddress(context));

test.describe('the picture', () => {
  const red: Colour = [214, 40, 40];
  const blue: Colour = [40, 60, 214];
  const file = (buffer: Buffer, name = 'me.png', mimeType = 'image/png') => ({ name, mimeType, buffer });
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Profile picture' });

  async function openDialog(page: Page): Promise<void> {
    await open(page, await addProfileUser());
    await button(page, 'Change picture').click();
    await expect(dialogOf(page)).toBeVisible();
  }

  /** The colours of the picture in the bar, at its left and right quarters. */
  const coloursInBar = (page: Page) =>
    bar(page)
      .locator('img')
      .evaluateAll(async (images) => {
        const image = images.at(-1) as HTMLImageElement | undefined;
        if (!image) return [];
        await image.decode();
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        return [0.25, 0.75].map((share) => {
          const [r = 0, , b = 0] =
            context?.getImageData(Math.floor(canvas.width * share), Math.floor(canvas.height / 2), 1, 1).data ?? [];
          return r > b ? 'red' : 'blue';
        });
      });

  test('is cropped as shown, uploaded, and appears in the bar at once', async ({ page }) => {
    await openDialog(page);
    const stripes = striped(300, [
      [450, red],
      [450, blue],
    ]);
    await page.locator('input[type="file"]').setInputFiles(file(stripes));
    await button(page, 'Use this picture').click();
    await expect(toast(page, 'Picture changed')).toBeVisible();
    await expect.poll(() => coloursInBar(page)).toEqual(['red', 'blue']);

    // Keys move the picture to the right, so that the cropped part is its left one.
    await button(page, 'Change picture').click();
    await page.locator('input[type="file"]').setInputFiles(file(stripes));
    const box = page.getByRole('group', { name: 'The part that is kept' });
    await box.focus();
    const before = await coloursInBar(page);
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('Shift+ArrowLeft');
    await button(page, 'Use this picture').click();
    await expect(dialogOf(page)).toBeHidden();
    await expect.poll(() => coloursInBar(page)).not.toEqual(before);
    const [left, right] = await coloursInBar(page);
    expect(left).toBe(right);
    await page.reload();
    await expect.poll(() => coloursInBar(page)).toEqual([left, right]);
  });

  test('can be moved by mouse and zoomed', async ({ page }) => {
    await openDialog(page);
    await page.locator('input[type="file"]').setInputFiles(
      file(
        striped(300, [
          [450, red],
          [450, blue],
        ]),
      ),
    );
    const part = page.getByRole('group', { name: 'The part that is kept' }).locator('canvas');
    // Waits until the dialog is in place: a press outside would close it.
    await part.hover({ trial: true });
    const box = await part.boundingBox();
    if (!box) throw new Error('nothing to crop');
    const zoom = page.getByRole('slider', { name: 'Zoom' });
    await zoom.fill('50');
    // The mouse drags the picture to the right: its left part comes in.
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2, { steps: 8 });
    await page.mouse.up();
    await button(page, 'Use this picture').click();
    await expect.poll(() => coloursInBar(page)).toEqual(['red', 'red']);
  });

  test('of another type, too large or damaged is refused before the upload', async ({ page }) => {
    await openDialog(page);
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().includes('update-avatar')) sent += 1;
    });
    const input = page.locator('input[type="file"]');
    const alert = dialogOf(page).getByRole('alert');
    await input.setInputFiles(file(Buffer.from('GIF89a, by its first bytes'), 'me.png'));
    await expect(alert).toContainText('Only JPEG, PNG and WebP pictures can be used');
    const small = striped(4, [[4, red]]);
    await input.setInputFiles(file(Buffer.concat([small, Buffer.alloc(6 * 1024 * 1024)])));
    await expect(alert).toContainText('The file has 6.1 MB, and 5 MB is the most');
    await input.setInputFiles(file(small.subarray(0, 24)));
    await expect(alert).toContainText('This picture cannot be read, the file may be damaged');
    await expectAccessible(page);
    expect(sent).toBe(0);
  });
});
