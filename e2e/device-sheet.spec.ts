import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import mqtt from 'mqtt';
import { publish } from './device.ts';
import { applyDeviceTenant, open, remarkNames, row, secretOf, sheet } from './deviceTenant.ts';
import { button, textbox, toast } from './pages.ts';
import { addresses } from './server.ts';
import { expect, test } from './test.ts';

// What a device's sheets show and change.

test.beforeAll(applyDeviceTenant);

test('a device is edited, its pin moved by mouse and by keys, and the home map shows it there', async ({ page }) => {
  await open(page, '?q=MO-MAST');
  await row(page, 'MO-MAST').getByRole('link', { name: /^Edit/ }).click();
  const form = sheet(page, 'Edit Moving mast');
  const [latitude, longitude] = [textbox(page, 'Latitude'), textbox(page, 'Longitude')];
  await expect(textbox(page, 'Device name')).toHaveAttribute('readonly', '');

  const note = textbox(page, 'Remark name');
  await note.fill('');
  await latitude.fill('95');
  await longitude.fill('');
  await button(page, 'Save').click();
  await expect(form.getByText('Please fill in the remark name')).toBeVisible();
  await expect(form.getByText('A number from −90 to 90')).toBeVisible();
  await expect(note).toBeFocused();
  await note.fill('Mast that moved');
  await latitude.fill('37.8571');
  await expect(form.getByText('Both or neither')).toHaveCount(1);
  await longitude.fill('27.3412');
  await longitude.blur();

  const pin = form.getByRole('button', { name: /^Pin at/ });
  const box = await pin.boundingBox();
  if (!box) throw new Error('the pin is not drawn');
  // Grabs it like a user: above its tip, which is the middle of its picture.
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 - 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 25, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Number(await longitude.inputValue())).toBeGreaterThan(27.3412);
  expect(Number(await latitude.inputValue())).toBeGreaterThan(37.8571);

  const dragged = Number(await longitude.inputValue());
  await pin.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => Number(await longitude.inputValue())).toBeGreaterThan(dragged);
  const [north, east] = [Number(await latitude.inputValue()), Number(await longitude.inputValue())];
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(remarkNames(page)).toHaveText(['Mast that moved']);

  await page.getByRole('navigation').getByRole('link', { name: 'Home page' }).click();
  const marker = page.getByRole('button', { name: /Mast that moved/ });
  await expect(marker).toBeVisible();
  await marker.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(`${north.toFixed(4)}° N, ${east.toFixed(4)}° E`)).toBeVisible();
});

test('unsaved changes are not lost by leaving', async ({ page }) => {
  await open(page, '?q=TE-05');
  await row(page, 'TE-05').getByRole('link', { name: /^Edit/ }).click();
  await textbox(page, 'Remark name').fill('Never saved');
  await page.getByRole('navigation').getByRole('link', { name: 'Profile' }).click();
  await button(page, 'Keep editing').click();
  await expect(textbox(page, 'Remark name')).toHaveValue('Never saved');
  await page.goBack();
  await button(page, 'Discard changes').click();
  await expect(sheet(page, 'Edit Terrace 05')).toBeHidden();
});

test('a new secret replaces the old one, and the commands to copy use it', async ({ page }) => {
  const old = secretOf('SE-MAST');
  await publish('SE-MAST', old, { airTemperature: 5.5 });
  await open(page, '?device=SE-MAST');
  const device = sheet(page, 'Mast with a secret');
  const connection = device.getByRole('region', { name: 'Connection' });
  await expect(connection.getByText('1 secret is valid.')).toBeVisible();
  await connection.getByRole('button', { name: 'New secret' }).click();
  const question = sheet(page, 'Make a new secret?');
  await question.getByRole('checkbox', { name: 'End the other secrets at once' }).check();
  await expect(question).toContainText('Whatever uses them loses its connection now');
  await question.getByRole('button', { name: 'Make secret' }).click();

  const shown = sheet(page, 'Keep the secret now');
  const secret = (await shown.getByRole('code').textContent()) ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(20);
  await page.keyboard.press('Escape');
  await expect(shown.getByRole('button', { name: 'Done' })).toBeDisabled();
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
  // The command contains the device's last value: another value shows which reading is new.
  const viaMqtt = commandStartingWith('mosquitto_pub').replace('SECRET', secret).replace('5.5', '6.25');
  await runCommand(viaMqtt);
  await expect(device.getByRole('listitem').filter({ hasText: 'Air temperature' })).toContainText('6.3');
  const viaHttp = commandStartingWith('curl').replace('SECRET', secret).replace('5.5', '7.75');
  expect(await runCommand(viaHttp)).toMatch(/^HTTP\/1.1 200/);
  await expect(device.getByRole('listitem').filter({ hasText: 'Air temperature' })).toContainText('7.8');
  expect(await runCommand(commandStartingWith('curl').replace('SECRET', old))).toMatch(/^HTTP\/1.1 401/);
});

/** Runs a command as if pasted into a shell. */
async function runCommand(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { encoding: 'utf8' });
  return stdout;
}

test('shows refused readings with their reason, and when the device was online', async ({ page }) => {
  await publish('RE-MAST', secretOf('RE-MAST'), { airTemperature: 999, airHumidity: 60 });
  await open(page, '?device=RE-MAST');
  const device = sheet(page, 'Mast that errs');
  await expect(device.getByText(/^1 value refused, the last/)).toBeVisible();
  await expect(device.getByText(/airTemperature.*The good values of the same message were kept/)).toBeVisible();
  await expect(device.getByRole('region', { name: 'Readings', exact: true })).toContainText('60');
  await expect(device.getByRole('region', { name: 'When it was online' }).getByRole('listitem')).toHaveText(
    /^Online.*until now$/,
  );
  const intake = device.getByRole('region', { name: 'What arrived and what was refused' });
  await intake.getByText('By day, of the last 31').click();
  await expect(intake.getByRole('row').nth(1)).toHaveText(/^\d{4}-\d\d-\d\d111$/);
  await expect(device.getByRole('slider', { name: 'Days with readings' })).toHaveAttribute(
    'aria-valuetext',
    /1 measurements?/,
  );
});
