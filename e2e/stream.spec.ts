import type { Locator, Page } from '@playwright/test';
import { type CameraServer, startCameras } from './cameraServer.ts';
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

test('a stream plays, is paused and saved as a picture, and is reported when it stops or is not there', async ({
  page,
}) => {
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await page.clock.install();
  await open(page, 'LO-1');
  const video = picture(page, 'Gate');
  await page.clock.resume();
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

  cameras.unplug();
  // Beyond the buffered part there is nothing: the picture freezes.
  await video.evaluate((element: HTMLVideoElement) => {
    element.currentTime = 55;
  });
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState)).toBeLessThan(3);
  const down = page.getByText('The stream does not answer');
  await expect(async () => {
    await page.clock.fastForward(5000);
    await expect(down).toBeVisible({ timeout: 200 });
  }).toPass();
  // It is still unplugged: the player gives up, too.
  const before = cameras.asked('gate.m3u8');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(() => cameras.asked('gate.m3u8')).toBeGreaterThan(before);
  await expect(page.getByText(/Trying again in \d+\ss\./)).toBeVisible();
  cameras.plugIn();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expectPlaying(video);
  await expect(down).toBeHidden();

  // An address without a stream is reported in the picture's place.
  await open(page, 'LO-4');
  await page.clock.resume();
  await expect(down).toBeVisible();
  expect((await page.getByRole('article', { name: 'Shed' }).boundingBox())?.height).toBe(568);
});

test.describe('on a phone, where cameras are below each other', () => {
  test.use({ viewport: { width: 390, height: 500 }, isMobile: true, hasTouch: true });

  test('films play in view, and nothing is fetched for a camera out of view', async ({ page }) => {
    const before = cameras.asked('film.webm');
    await openSignedIn(page, lookoutUser, '/data', site());
    await expectPlaying(picture(page, 'Gate'));
    expect(cameras.asked('film.webm')).toBe(before);
    for (const name of ['Mill', 'Weir']) {
      const card = page.getByRole('article', { name });
      await card.scrollIntoViewIfNeeded();
      await expectPlaying(picture(page, name));
      // Its pixels belong to another site: they are visible, but cannot be saved.
      await expect(card.getByRole('button', { name: 'Pause' })).toBeVisible();
      await expect(card.getByRole('button', { name: 'Save picture' })).toHaveCount(0);
    }
    expect(cameras.asked('film.webm')).toBeGreaterThan(before);
    await expect(picture(page, 'Gate')).toHaveCount(0);
  });
});
