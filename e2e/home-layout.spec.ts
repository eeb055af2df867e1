import { expectLive, signIn } from './pages.ts';
import { expect, test } from './test.ts';

// What stays where it is on the home page, and what scrolls.

test('choosing devices moves neither the page, nor the map, nor a mark in view', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page);
  await expectLive(page);
  const map = page.getByRole('region', { name: 'Map' });
  const marks = ['Lower mast', 'River mast', 'Pump mast'].map((name) =>
    page.getByRole('button', { name: new RegExp(name) }),
  );
  const choose = async (name: string) => {
    await page.getByRole('treeitem', { name: new RegExp(name) }).click();
    await expect(page.getByRole('heading', { name })).toBeVisible();
  };
  const measured = async () => ({
    map: await map.boundingBox(),
    marks: await Promise.all(
      marks.map((mark) =>
        // Its middle: a chosen mark is larger.
        mark.evaluate((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          return [Math.round((left + right) / 2), Math.round((top + bottom) / 2)];
        }),
      ),
    ),
    list: await page.getByRole('tree').boundingBox(),
    scrolled: await page.evaluate(() => window.scrollY),
  });
  for (const size of [
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
  ]) {
    await page.setViewportSize(size);
    await page.reload();
    await expectLive(page);
    await choose('Orchard mast');
    for (const mark of marks) await expect(mark).toBeVisible();
    const before = await measured();
    // One without a position, one whose panel is higher, one on the map itself.
    await choose('Climate, east bay');
    expect(await measured()).toEqual(before);
    await choose('River mast');
    expect(await measured()).toEqual(before);
    await marks[0]?.click();
    await expect(page.getByRole('heading', { name: 'Lower mast' })).toBeVisible();
    // The list may scroll to the chosen row, but stays in its place.
    expect(await measured()).toEqual(before);
  }
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('home is one scroll: swipes on the list of devices reach the readings', async ({ page }) => {
    await signIn(page);
    const readings = page.getByRole('region', { name: 'Readings' });
    await expect(readings).toBeAttached();
    const scrollers = await page.getByRole('main').evaluate((main) =>
      [...main.querySelectorAll('*')]
        .filter((each) => {
          const { overflowY } = getComputedStyle(each);
          return /auto|scroll/.test(overflowY) && each.scrollHeight > each.clientHeight + 1;
        })
        .map((each) => each.outerHTML.slice(0, 80)),
    );
    expect(scrollers).toEqual([]);

    const touch = await page.context().newCDPSession(page);
    const scrolled = () => page.evaluate(() => window.scrollY);
    // To the list first; then every swipe begins on it, or on what follows it.
    await page.getByRole('tree').evaluate((tree) => tree.scrollIntoView({ block: 'start' }));
    const reached = () =>
      readings.evaluate((element) => element.getBoundingClientRect().top < window.innerHeight - 120);
    await expect(page.getByRole('treeitem').first()).toBeInViewport();
    for (let swipe = 0; swipe < 20 && !(await reached()); swipe += 1) {
      const before = await scrolled();
      const finger = (y: number) => [{ x: 160, y, id: 0 }];
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: finger(640) });
      for (let y = 600; y >= 240; y -= 40)
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: finger(y) });
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await expect.poll(scrolled).toBeGreaterThan(before + 200);
    }
    expect(await reached()).toBe(true);
  });
});
