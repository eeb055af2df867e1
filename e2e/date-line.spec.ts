import type { Locator, Page } from '@playwright/test';
import { button, textbox, toast } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { callApi, openSignedIn } from './testUsers.ts';

// A farm in Fiji, on both sides of 180°.

const person = { tenantName: 'islands', userName: 'mere', password: 'coconuts-and-copra' };
const mast = (deviceName: string, noteName: string, longitude: number, latitude: number) => ({
  deviceName,
  serial: `N-${deviceName}`,
  noteName,
  product: 'weather-mast',
  secret: `e2e-${deviceName.toLowerCase()}-2f9c01d7e4ab6358`,
  scene: 'Copra',
  longitude,
  latitude,
});

test.beforeAll(() =>
  applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: person.tenantName,
          timeZone: 'Pacific/Fiji',
          language: 'en-us',
          users: [{ userName: person.userName, password: person.password, nickname: 'Mere' }],
          scenes: ['Copra'],
          devices: [mast('IS-WEST', 'Labasa', 179.5, -16.5), mast('IS-EAST', 'Taveuni', -179.75, -17)],
        },
      ],
    }),
  ),
);

// Without the animation, each click of a zoom button counts.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

async function middleOf(thing: Locator) {
  const box = await thing.boundingBox();
  if (!box) throw new Error('it is not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: { x: number; y: number }, pixels: number): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + pixels, from.y, { steps: 5 });
  await page.mouse.up();
}

test('devices on both sides of the date line are neighbours on the map', async ({ page }) => {
  await openSignedIn(page, person, '/');
  const mark = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}, `) });
  /** How far the eastern device is to the east, by how far it is to the south. */
  const slope = async () => {
    const [west, east] = [await middleOf(mark('Labasa')), await middleOf(mark('Taveuni'))];
    return (east.x - west.x) / (east.y - west.y);
  };
  await expect(mark('Taveuni')).toBeInViewport();
  await expect(mark('Labasa')).toBeInViewport();
  // 0.75 degrees eastward; half a degree southward, which Mercator stretches to 0.522.
  const onEarth = 0.75 / 0.522;
  expect(await slope()).toBeCloseTo(onEarth, 1);
  // The middle of the view, from 179.9° east, crosses the line.
  const { x, y } = await middleOf(page.getByRole('region', { name: 'Map' }));
  await drag(page, { x, y: y + 60 }, -100);
  await expect.poll(slope).toBeCloseTo(onEarth, 1);
  await drag(page, { x, y: y + 60 }, 160);
  await expect.poll(slope).toBeCloseTo(onEarth, 1);
  await expect(mark('Labasa')).toBeInViewport();
});

test('a pin that is dragged over the date line has a longitude within ±180', async ({ page }) => {
  await openSignedIn(page, person, '/device?device=IS-EAST&edit=true');
  const pin = page.getByRole('button', { name: /^Pin at/ });
  await expect(pin).toBeVisible();
  // To where a degree has 364 pixels.
  for (let zoom = 16; zoom > 9; zoom--) await button(page, 'Zoom out').click();
  const longitude = async () => Number(await textbox(page, 'Longitude').inputValue());
  const grip = async () => {
    const { x, y } = await middleOf(pin);
    return { x, y: y - 20 };
  };
  await drag(page, await grip(), -160);
  await expect.poll(longitude).toBeCloseTo(180.25 - 160 / 364, 1);
  await drag(page, await grip(), 130);
  await expect.poll(longitude).toBeCloseTo(180.25 - 30 / 364 - 360, 1);
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  const { data } = await callApi(person, 'GET', '/admin-api/client/pc/device/map');
  const stored = data.markers.find(({ deviceName }: { deviceName: string }) => deviceName === 'IS-EAST');
  expect(stored.longitude).toBeCloseTo(180.25 - 30 / 364 - 360, 1);
});
