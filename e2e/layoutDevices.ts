import { added } from './layoutAdding.ts';
import { type At, phonesOnly, type Visit } from './layoutChecks.ts';
import { dialogOf, fill, like, press } from './layoutSteps.ts';
import { longNames, names, shortScene } from './layoutTenant.ts';

// The equipment page: devices and scenes, and the dialogs in which they are added and changed.

const sheet = ({ page }: At, name: string) => page.getByRole('dialog', { name, exact: true }).waitFor();

const longNamesOf = ({ page, phone }: At) => {
  const devices = longNames.map((name) => page.locator(`[data-device="${name}"]`));
  const words = devices.map((device, i) =>
    phone ? device.getByText(names[longNames[i] ?? 'LA-EAST'], { exact: true }) : device,
  );
  const [first, ...others] = words.flatMap((word) => [word, word.locator('..')]);
  return others.reduce((all, other) => all.or(other), first ?? page.locator('none'));
};

/** The device whose serial a swap is refused with in each width: the same twice within a second is refused as a duplicate. */
const takenSerials: Record<number, keyof typeof names> = {
  390: 'LA-EAST',
  1024: 'LA-ROAD',
  1440: 'LA-HIGH',
  1920: 'LA-SOIL',
};

/** Opens the sheet of a device and presses a button of it. */
const inSheet = (deviceName: keyof typeof names, key: string) => async (at: At) => {
  await sheet(at, names[deviceName]);
  await press(at, at.say(key));
};

/** Presses a button of a scene, which a mouse sees only over its row. */
async function sceneAction({ page, width, say }: At, key: string): Promise<void> {
  if (width < 1280) await page.getByRole('button', { name: say('scene.choose') }).click();
  const button = page.getByRole('button', { name: `${say(key)}: ${shortScene}`, exact: true });
  await button.focus();
  await button.press('Enter');
}

async function twoPoints(at: At): Promise<void> {
  await sheet(at, names['LA-LOW']);
  await at.page
    .getByRole('region', { name: at.say('calibration.title'), exact: true })
    .getByRole('button', { name: at.say('calibration.calibrate'), exact: true })
    .click();
  await dialogOf(at, at.say('calibration.form.title', { name: names['LA-LOW'] })).waitFor();
  await at.page.getByRole('radio', { name: at.say('calibration.kind.twoPoint') }).check({ force: true });
  await at.page.locator('button[type=submit]').last().click();
}

export const deviceVisits: Visit[] = [
  { name: 'devices', path: '/device', whole: longNamesOf },
  {
    name: 'the scenes of devices',
    path: '/device',
    only: (width) => width >= 1280,
    whole: ({ page }) => page.getByRole('cell', { name: shortScene, exact: true }),
  },
  { name: 'no device found', path: '/device?q=无' },
  { name: 'devices of a scene that is gone', path: '/device?scene=99999' },
  {
    name: 'the scenes on a phone',
    path: '/device',
    only: phonesOnly,
    open: ({ page, say }) => page.getByRole('button', { name: say('scene.choose') }).click(),
  },
  {
    name: 'the filters of devices on a phone',
    path: '/device',
    only: phonesOnly,
    open: (at) => press(at, at.say('device.filter.title')),
  },
  { name: 'a silent device', path: '/device?device=LA-SOIL', open: (at) => sheet(at, names['LA-SOIL']) },
  { name: 'a device with refused readings', path: '/device?device=LA-MAST', open: (at) => sheet(at, names['LA-MAST']) },
  { name: 'a device with long numbers', path: '/device?device=LA-BENCH', open: (at) => sheet(at, names['LA-BENCH']) },
  { name: 'a swapped device', path: '/device?device=LA-WEST', open: (at) => sheet(at, names['LA-WEST']) },
  { name: 'a calibrated device', path: '/device?device=LA-LOW', open: (at) => sheet(at, names['LA-LOW']) },
  {
    name: 'what the sensor shows beside a corrected reading',
    path: '/device?device=LA-LOW',
    open: async (at) => {
      await sheet(at, names['LA-LOW']);
      await at.page
        .getByRole('button', { name: like(at.say('calibration.corrected', { value: '#' })) })
        .first()
        .focus();
      await at.page.getByRole('tooltip').waitFor();
    },
  },
  { name: 'a device that never reported', path: '/device?device=LA-NEW', open: (at) => sheet(at, names['LA-NEW']) },
  { name: 'a device that is not there', path: '/device?device=gone' },
  {
    name: 'the form of a device',
    path: '/device?device=LA-MAST&edit=true',
    open: (at) => sheet(at, at.say('device.form.title', { name: names['LA-MAST'] })),
  },
  {
    name: 'the errors of the form of a device',
    path: '/device?device=LA-HIGH&edit=true',
    open: async (at) => {
      await fill(at, at.say('device.col.note'), '');
      await fill(at, at.say('device.form.latitude'), '123');
      await press(at, at.say('common.save'));
    },
  },
  {
    name: 'the question of a form of a device whether to discard',
    path: '/device?device=LA-HIGH&edit=true',
    open: async (at) => {
      await fill(at, at.say('device.col.note'), '新');
      await press(at, at.say('common.cancel'));
      await at.page.getByText(at.say('common.discardTitle')).waitFor();
    },
  },
  {
    name: 'the question for a new secret',
    path: '/device?device=LA-MAST',
    open: async (at) => {
      await inSheet('LA-MAST', 'device.secret.new')(at);
      await at.page.getByRole('checkbox', { name: at.say('device.secret.drop') }).check();
    },
  },
  {
    name: 'a new secret',
    keeps: true,
    path: '/device?device=LA-MAST',
    answers: { 'device/new-secret': added.secret },
    open: async (at) => {
      await inSheet('LA-MAST', 'device.secret.new')(at);
      await press(at, at.say('device.secret.make'));
      await dialogOf(at, at.say('device.secret.title')).waitFor();
    },
  },
  {
    name: 'the calibration by an offset',
    path: '/device?device=LA-LOW',
    open: async (at) => {
      await sheet(at, names['LA-LOW']);
      await at.page.locator('[role=dialog] li button').first().click();
    },
  },
  { name: 'the errors of a calibration by two points', path: '/device?device=LA-LOW', open: twoPoints },
  {
    name: 'the question whether to undo a calibration',
    path: '/device?device=LA-LOW',
    open: ({ page, say }) =>
      page
        .getByRole('region', { name: say('calibration.title'), exact: true })
        .getByText(say('calibration.undo.verb'), { exact: true })
        .first()
        .click(),
  },
  {
    name: 'a swap, refused because of its serial',
    path: '/device?device=LA-MAST',
    open: async (at) => {
      await inSheet('LA-MAST', 'device.swap.title')(at);
      const ask = dialogOf(at, at.say('device.swap.ask', { name: names['LA-MAST'] }));
      await ask.getByRole('textbox', { name: at.say('device.detail.serial') }).fill(`号-${takenSerials[at.width]}`);
      await press(at, at.say('device.swap.submit'));
      await at.page
        .getByRole('link', { name: at.say('device.add.openTaken') })
        .or(at.page.getByRole('button', { name: at.say('device.add.openTaken') }))
        .waitFor();
    },
  },
  {
    name: 'the connection after a swap',
    keeps: true,
    path: '/device?device=LA-NEW',
    answers: { 'device/swap': { secret: added.secret } },
    open: async (at) => {
      await inSheet('LA-NEW', 'device.swap.title')(at);
      await press(at, at.say('device.swap.submit'));
      await dialogOf(at, at.say('device.swap.connect', { name: names['LA-NEW'] })).waitFor();
    },
  },
  {
    name: 'the question whether to delete a device',
    path: '/device?q=可删的桅杆',
    open: async (at) => {
      await at.page.getByText('可删的桅杆').first().click();
      await press(at, at.say('device.remove.title'));
    },
  },
  { name: 'a new scene', path: '/device', open: (at) => press(at, at.say('scene.new')) },
  {
    name: 'the errors of a new scene',
    path: '/device',
    open: async (at) => {
      await press(at, at.say('scene.new'));
      await at.page.getByRole('dialog').getByRole('button').last().click();
    },
  },
  {
    name: 'the question whether to delete a scene',
    path: '/device',
    open: async (at) => {
      await sceneAction(at, 'scene.delete');
      await dialogOf(at, at.say('scene.deleteConfirm')).waitFor();
    },
  },
  {
    name: 'the change of a scene',
    path: '/device',
    open: async (at) => {
      await sceneAction(at, 'scene.edit');
    },
  },
];
