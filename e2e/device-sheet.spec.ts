import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import mqtt from 'mqtt';
import { publish } from './device.ts';
import { applyDeviceTenant, open, row, secretOf, sheet } from './deviceTenant.ts';
import { button, textbox, toast } from './pages.ts';
import { addresses } from './server.ts';
import { expect, test } from './test.ts';

// What a device's sheets show and change.

test.beforeAll(applyDeviceTenant);

test('a device moves to another scene and place with four clicks, and its pin by mouse and keys', async ({ page }) => {
  await open(page, '?q=MO-MAST');
  await row(page, 'MO-MAST').getByRole('link', { name: /^Edit/ }).click();
  const form = sheet(page, 'Edit Moving mast');
  const [latitude, longitude] = [textbox(page, 'Latitude'), textbox(page, 'Longitude')];
  const at = async (field: typeof latitude) => Number(await field.inputValue());
  const map = form.locator('.leaflet-container');
  const pin = form.getByRole('button', { name: /^Pin at/ });
  await expect(pin).toBeInViewport();
  await expect(map.getByText(/North field/)).toBeAttached();

  // Leaving loses nothing unasked.
  await textbox(page, 'Remark name').fill('Never saved');
  await page.getByRole('navigation').getByRole('link', { name: 'Profile' }).click();
  await button(page, 'Keep editing').click();
  await expect(textbox(page, 'Remark name')).toHaveValue('Never saved');
  await page.goBack();
  await button(page, 'Discard changes').click();
  await expect(form).toBeHidden();

  await row(page, 'MO-MAST').getByRole('link', { name: /^Edit/ }).click();
  await form.getByRole('combobox', { name: 'Scene' }).selectOption('Far field');
  await expect(form.getByText(/from the nearest device of this scene/)).toBeVisible();
  // The new neighbours are in the frame, by the name of their scene.
  const frame = await map.boundingBox();
  if (!frame) throw new Error('there is no map');
  await expect
    .poll(async () => {
      const name = await map.getByText(/Far field/).boundingBox();
      if (!name) return false;
      const [x, y] = [name.x + name.width / 2, name.y + name.height / 2];
      return x > frame.x && x < frame.x + frame.width && y > frame.y && y < frame.y + frame.height;
    })
    .toBe(true);
  await map.click({ position: { x: frame.width / 2, y: frame.height / 2 } });
  await expect(latitude).toHaveValue(/^37\.70/);
  await expect(longitude).toHaveValue(/^27\.60/);
  await expect(form.getByText(/from the nearest device of this scene/)).toHaveCount(0);
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(row(page, 'MO-MAST')).toContainText('Far field');

  await row(page, 'MO-MAST').getByRole('link', { name: /^Edit/ }).click();
  await expect(pin).toBeInViewport();
  const [y0, x0] = [await at(latitude), await at(longitude)];
  const box = await pin.boundingBox();
  if (!box) throw new Error('the pin is not drawn');
  // Grabs it like a user: above its tip, which is the middle of its picture.
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 - 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 25, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => at(longitude)).toBeGreaterThan(x0);
  expect(await at(latitude)).toBeGreaterThan(y0);
  const dragged = await at(longitude);
  await pin.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => at(longitude)).toBeGreaterThan(dragged);

  const [north, east] = [await at(latitude), await at(longitude)];
  await button(page, 'Save').click();
  await expect(form).toBeHidden();
  await expect(row(page, 'MO-MAST')).toContainText('Moving mast');
  await page.getByRole('navigation').getByRole('link', { name: 'Home page' }).click();
  const marker = page.getByRole('button', { name: /Moving mast/ });
  await expect(marker).toBeVisible();
  await marker.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(`${north.toFixed(4)}° N, ${east.toFixed(4)}° E`)).toBeVisible();
});

test('a new secret replaces the old one, the commands to copy use it, and refusals and changes are shown', async ({
  page,
}) => {
  const old = secretOf('SE-MAST');
  await publish('SE-MAST', old, { airTemperature: 5.5 });
  await publish('SE-MAST', old, { airTemperature: 999, airHumidity: 60 });
  await open(page, '?device=SE-MAST');
  const device = sheet(page, 'Mast with a secret');
  await expect(device.getByText(/^1 value refused, the last/)).toBeVisible();
  await expect(device.getByText(/airTemperature.*The good values of the same message were kept/)).toBeVisible();
  await expect(device.getByRole('region', { name: 'Readings', exact: true })).toContainText('60');
  await expect(device.getByRole('region', { name: 'When it was online' }).getByRole('listitem')).toHaveText(
    /^Online.*until now$/,
  );
  await device.getByText('By day, of the last 31').click();
  await expect(device.getByRole('row', { name: /^\d{4}-\d\d-\d\d 2 2 1$/ })).toBeVisible();
  const days = device.getByRole('slider', { name: 'Days with readings' });
  await expect(days).toHaveAttribute('aria-valuetext', /2 measurements/);

  const connection = device.getByRole('region', { name: 'Connection' });
  await expect(connection.getByText('1 secret is valid.')).toBeVisible();
  await connection.getByRole('button', { name: 'New secret' }).click();
  const question = sheet(page, 'Make a new secret?');
  await question.getByRole('checkbox', { name: 'End the other secrets at once' }).check();
  await question.getByRole('button', { name: 'Make secret' }).click();
  const shown = sheet(page, 'Keep the secret now');
  const secret = (await shown.getByRole('code').textContent()) ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(20);
  await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  expect(await page.content()).not.toContain(secret);
  await expect(connection.getByText('1 secret is valid.')).toBeVisible();

  const signIn = mqtt.connectAsync(`mqtt://${addresses().mqtt}`, {
    username: 'SE-MAST',
    password: old,
    reconnectPeriod: 0,
  });
  await expect(signIn).rejects.toThrow(/not authorized|bad user name/i);

  const commands = await connection.getByRole('listitem').getByRole('code').allTextContents();
  const commandStartingWith = (word: string) => commands.find((command) => command.startsWith(word)) ?? '';
  const temperature = device.getByRole('listitem').filter({ hasText: 'Air temperature' });
  // The command contains the device's last value: another value shows which reading is new.
  await runCommand(commandStartingWith('mosquitto_pub').replace('SECRET', secret).replace('5.5', '6.25'));
  await expect(temperature).toContainText('6.3');
  const viaHttp = commandStartingWith('curl').replace('SECRET', secret).replace('5.5', '7.75');
  expect(await runCommand(viaHttp)).toMatch(/^HTTP\/1.1 200/);
  await expect(temperature).toContainText('7.8');
  expect(await runCommand(commandStartingWith('curl').replace('SECRET', old))).toMatch(/^HTTP\/1.1 401/);
});

/** Runs a command as if pasted into a shell. */
async function runCommand(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { encoding: 'utf8' });
  return stdout;
}
