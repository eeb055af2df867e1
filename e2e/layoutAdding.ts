import type { At, Visit } from './layoutChecks.ts';
import { dialogOf, fill, press } from './layoutSteps.ts';
import { names } from './layoutTenant.ts';

// The dialogs in which devices are added.

const waiting = '新来的桅杆';
export const added = { deviceName: 'LA-NEW', secret: 'a-secret-of-the-length-that-they-have-0' };

async function addNew(at: At): Promise<void> {
  await dialogOf(at, at.say('device.add.title')).waitFor();
  await fill(at, at.say('device.col.note'), waiting);
}

const tableOf = (line: string) => `noteName;product;scene\nА;weather-mast;\n${line}`;

async function pasteTable(at: At, line: string): Promise<void> {
  await fill(at, at.say('device.table.lines'), tableOf(line));
  await press(at, at.say('device.table.check'));
}

export const addingVisits: Visit[] = [
  {
    name: 'adding a device',
    path: '/device?add=new',
    open: async (at) => {
      await dialogOf(at, at.say('device.add.title')).waitFor();
      await at.page.getByText(at.say('device.add.more'), { exact: true }).click();
    },
  },
  {
    name: 'the errors of adding a device',
    path: '/device?add=new',
    open: async (at) => {
      await dialogOf(at, at.say('device.add.title')).waitFor();
      await press(at, at.say('device.add.submit'));
    },
  },
  {
    name: 'an added device, whose first messages were refused',
    keeps: true,
    path: '/device?add=new',
    answers: { 'device/create': added },
    open: async (at) => {
      await addNew(at);
      await press(at, at.say('device.add.submit'));
      await dialogOf(at, at.say('device.added.title', { name: waiting })).waitFor();
    },
  },
  {
    name: 'an added device, whose first reading is here',
    keeps: true,
    path: '/device?add=new',
    answers: {
      'device/create': { ...added, deviceName: 'LA-HIGH' },
      'device/get/first-reading': {
        state: 'received',
        reading: { time: Date.now(), values: { airTemperature: 21.4, airHumidity: 80 } },
        hints: [],
      },
    },
    open: async (at) => {
      await addNew(at);
      await press(at, at.say('device.add.submit'));
      await at.page.getByText(at.say('device.first.received')).waitFor();
    },
  },
  { name: 'adding with a code', path: '/device?add=code' },
  {
    name: 'a mistyped code',
    path: '/device?add=code',
    open: async (at) => {
      await fill(at, at.say('device.code.label'), '7K3Q-9DMX-2B4F-8');
      await press(at, at.say('device.code.next'));
    },
  },
  {
    name: 'what the code says',
    path: '/device?add=code',
    open: async (at) => {
      await fill(at, at.say('device.code.label'), '7K3Q-9DMX-2B4F-7');
      await press(at, at.say('device.code.next'));
      await at.page.getByRole('textbox', { name: at.say('device.col.note') }).waitFor();
    },
  },
  { name: 'adding from a table', path: '/device?add=table' },
  {
    name: 'the problems of a table',
    path: '/device?add=table',
    open: async (at) => {
      await pasteTable(at, 'Б;weather-mast;无');
      await at.page.getByRole('table').last().getByRole('row').nth(1).waitFor();
    },
  },
  {
    name: 'devices added from a table',
    keeps: true,
    path: '/device?add=table',
    answers: {
      'device/import': {
        created: [
          { line: 2, noteName: names['LA-EAST'], ...added },
          { line: 3, noteName: 'Б', ...added },
        ],
        errors: [],
      },
    },
    open: async (at) => {
      await pasteTable(at, 'Б;weather-mast;');
      // The button now says how many it adds.
      await at.page.getByText(at.say('device.table.check'), { exact: true }).waitFor({ state: 'detached' });
      await at.page.getByRole('dialog').getByRole('button').last().click();
      await at.page.getByText(at.say('device.table.stored')).waitFor();
    },
  },
];
