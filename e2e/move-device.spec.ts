import { button, toast } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// A device gets another scene and place.

const person: TestUser = { tenantName: 'two-valleys', userName: 'nazli', password: 'over-the-hill-and-back' };

test.beforeAll(() =>
  applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: person.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: person.userName, password: person.password, nickname: 'Nazlı' }],
          scenes: ['Upper valley', 'Lower valley'],
          devices: [
            ['TV-MOVES', 'Mast that moves', 'Upper valley', 27.34, 37.85],
            ['TV-UP', 'Upper mast', 'Upper valley', 27.342, 37.852],
            ['TV-EAST', 'Lower mast, east', 'Lower valley', 27.604, 37.702],
            ['TV-WEST', 'Lower mast, west', 'Lower valley', 27.6, 37.7],
            ['TV-NORTH', 'Lower mast, north', 'Lower valley', 27.602, 37.704],
          ].map(([deviceName, noteName, scene, longitude, latitude]) => ({
            deviceName,
            serial: `T-${deviceName}`,
            noteName,
            product: 'weather-mast',
            scene,
            longitude,
            latitude,
          })),
        },
      ],
    }),
  ),
);

test('a device is moved to another scene and place with four clicks: the map goes to the scene', async ({ page }) => {
  await openSignedIn(page, person, '/device');
  let clicks = 0;
  clicks += 1;
  await page.getByRole('link', { name: 'Edit: Mast that moves' }).click();
  const form = page.getByRole('dialog', { name: 'Edit Mast that moves' });
  const map = form.locator('.leaflet-container');
  await expect(form.getByRole('button', { name: /^Pin at/ })).toBeInViewport();
  await expect(map.getByText(/Upper valley/)).toBeAttached();

  clicks += 1;
  await form.getByRole('combobox', { name: 'Scene' }).selectOption('Lower valley');
  await expect(form.getByText(/from the nearest device of this scene/)).toBeVisible();
  // The new neighbours are in the frame, by the name of their scene.
  const frame = await map.boundingBox();
  if (!frame) throw new Error('there is no map');
  await expect
    .poll(async () => {
      const name = await map.getByText(/Lower valley/).boundingBox();
      if (!name) return false;
      const [x, y] = [name.x + name.width / 2, name.y + name.height / 2];
      return x > frame.x && x < frame.x + frame.width && y > frame.y && y < frame.y + frame.height;
    })
    .toBe(true);

  clicks += 1;
  await map.click({ position: { x: frame.width / 2, y: frame.height / 2 } });
  await expect(form.getByRole('textbox', { name: 'Latitude' })).toHaveValue(/^37\.70/);
  await expect(form.getByRole('textbox', { name: 'Longitude' })).toHaveValue(/^27\.60/);
  await expect(form.getByText(/from the nearest device of this scene/)).toHaveCount(0);

  clicks += 1;
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(page.getByRole('row', { name: /Mast that moves/ })).toContainText('Lower valley');
  expect(clicks).toBeLessThanOrEqual(4);
});
