import type { Locator, Page } from '@playwright/test';
import { type CameraServer, startCameras } from './cameraServer.ts';
import { expectAccessible } from './pages.ts';
import { applyYaml, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// Videos that really play: made by ffmpeg, served by the test's own server, decoded by Chromium.

const lookoutUser: TestUser = { tenantName: 'lookout', userName: 'lena', password: 'eyes-on-the-valley' };
// The page's content security policy names the streams of its host's tenant.
const site = () => siteOf('lookout');
let cameras: CameraServer;

test.beforeAll(async () => {
  cameras = await startCameras();
  const camera = (name: string, noteName: string, file: string) =>
    `{deviceName: ${name}, serial: SXT-${name}, noteName: ${noteName}, product: lookout-camera, elementData: {live: "${cameras.origin}/${file}"}}`;
  await applyYaml(`
products:
  - name: lookout-camera
    properties: [{identifier: live, functionName: Live video, dataType: text}]
tenants:
  - name: lookout
    hosts: [lookout.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: lena, password: ${lookoutUser.password}, nickname: Lena}]
    devices:
      - ${camera('LO-1', 'Gate', 'gate.m3u8')}
      - ${camera('LO-2', 'Mill', 'film.mp4')}
      - ${camera('LO-3', 'Weir', 'film.webm')}
      - ${camera('LO-4', 'Shed', 'gone.m3u8')}
`);
});

test.beforeEach(() => cameras.plugIn());
test.afterAll(() => cameras.close());

const open = (page: Page, device: string) => openSignedIn(page, lookoutUser, `/data?devices=${device}`, site());
const picture = (page: Page, name: string) => page.getByLabel(`Picture of ${name}`);
const playbackTime = (video: Locator) => video.evaluate((element: HTMLVideoElement) => element.currentTime);

async function expectPlaying(video: Locator): Promise<void> {
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.videoWidth)).toBe(320);
  const begun = await playbackTime(video);
  await expect.poll(() => playbackTime(video)).toBeGreaterThan(begun);
  expect(await video.evaluate((element: HTMLVideoElement) => element.muted)).toBe(true);
}

test('an HLS stream plays', async ({ page }) => {
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await open(page, 'LO-1');
  const video = picture(page, 'Gate');
  await expectPlaying(video);
  // In a frame of 500 px, without cutting the picture.
  expect((await video.boundingBox())?.height).toBe(500);
  await page.getByRole('button', { name: 'Pause' }).click();
  const stopped = await playbackTime(video);
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();
  expect(await video.evaluate((element: HTMLVideoElement) => element.paused)).toBe(true);
  await page.getByRole('button', { name: 'Play' }).click();
  await expect.poll(() => playbackTime(video)).toBeGreaterThan(stopped);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save picture' }).click();
  expect((await download).suggestedFilename()).toMatch(/^LO-1_.*\.jpg$/);
  expect(refused).toEqual([]);
  await expectAccessible(page);
});

for (const [device, name, file] of [
  ['LO-2', 'Mill', 'an MP4 file'],
  ['LO-3', 'Weir', 'a WebM file'],
] as const) {
  test(`${file} plays`, async ({ page }) => {
    await open(page, device);
    await expectPlaying(picture(page, name));
    // Its pixels belong to another site: they are visible, but cannot be saved.
    await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save picture' })).toHaveCount(0);
  });
}

test('a stream that is down is reported, and plays on retry', async ({ page }) => {
  cameras.unplug();
  await open(page, 'LO-1');
  const down = page.getByText('The stream does not answer');
  await expect(down).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(/Trying again in \d+\ss\./)).toBeVisible();
  await expectAccessible(page);
  cameras.plugIn();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expectPlaying(picture(page, 'Gate'));
  await expect(down).toBeHidden();
});

test('a stream that stops while it plays is reported', async ({ page }) => {
  await page.clock.install();
  await open(page, 'LO-1');
  const video = picture(page, 'Gate');
  await page.clock.resume();
  await expectPlaying(video);
  cameras.unplug();
  // Beyond the buffered part there is nothing: the picture freezes.
  await video.evaluate((element: HTMLVideoElement) => {
    element.currentTime = 55;
  });
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState)).toBeLessThan(3);
  await expect(async () => {
    await page.clock.fastForward(5000);
    await expect(page.getByText('The stream does not answer')).toBeVisible({ timeout: 200 });
  }).toPass();
  cameras.plugIn();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expectPlaying(video);
});

test('an address without a stream is reported in the picture’s place', async ({ page }) => {
  await open(page, 'LO-4');
  await expect(page.getByText('The stream does not answer')).toBeVisible({ timeout: 30_000 });
  expect((await page.getByRole('article', { name: 'Shed' }).boundingBox())?.height).toBe(568);
});

test('nothing is fetched for a camera out of view', async ({ browser }) => {
  // On a phone cameras are below each other.
  const context = await browser.newContext({ viewport: { width: 390, height: 500 }, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  const before = cameras.asked('film.webm');
  await openSignedIn(page, lookoutUser, '/data', site());
  await expectPlaying(picture(page, 'Gate'));
  expect(cameras.asked('film.webm')).toBe(before);
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expectPlaying(picture(page, 'Weir'));
  expect(cameras.asked('film.webm')).toBeGreaterThan(before);
  await expect(picture(page, 'Gate')).toHaveCount(0);
  await context.close();
});
