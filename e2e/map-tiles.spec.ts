import { button, expectHomePage, signIn } from './pages.ts';
import { addresses, startServer } from './server.ts';
import { test as base, expect } from './test.ts';
import { startTiles, type TileServer } from './tileServer.ts';

// The map of an installation with a tile server.

const test = base.extend<object, { tiles: TileServer }>({
  tiles: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright derives the required fixtures from it
    async ({}, use) => {
      const tiles = await startTiles();
      await use(tiles);
      await tiles.close();
    },
    { scope: 'worker' },
  ],
  server: async ({ tiles }, use) => {
    const stop = await startServer([
      `--map-tiles=${tiles.origin}/{z}/{x}/{y}.png`,
      '--map-tiles-attribution=© Field Maps',
    ]);
    await use(addresses());
    await stop();
  },
});

test('tiles are requested with the console’s origin, everything else without', async ({ page, tiles, baseURL }) => {
  const others: { url: string; referer: string | undefined }[] = [];
  page.on('requestfinished', async (request) => {
    const { referer } = await request.allHeaders();
    if (!request.url().startsWith(tiles.origin)) others.push({ url: request.url(), referer });
  });
  await signIn(page);
  await expect(page.locator('img.leaflet-tile-loaded').first()).toBeVisible();
  await expect(page.getByText('© Field Maps')).toBeVisible();
  expect(tiles.referers.length).toBeGreaterThan(0);
  expect(new Set(tiles.referers)).toEqual(new Set([`${baseURL}/`]));
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter(({ referer }) => referer)).toEqual([]);
});

test('the coastline is shown in place of tiles that are refused', async ({ page, tiles }) => {
  tiles.refuse();
  await signIn(page);
  await page.reload();
  await expectHomePage(page);
  const shore = page.locator('.leaflet-land-pane path');
  // At a close zoom there is no coastline.
  await expect
    .poll(async () => {
      await button(page, 'Zoom out').click();
      return shore.count();
    })
    .toBeGreaterThan(0);
  await expect(shore.first()).toBeVisible();
  await expect(page.locator('img.leaflet-tile-loaded')).toHaveCount(0);
});
