import type { Page } from '@playwright/test';
import { applyYaml } from './server.ts';
import { openSignedIn } from './testUsers.ts';

// A tenant for changes on the device page. Each test changes only its own scene or device, whose
// name says its purpose.

const deviceUser = { tenantName: 'terraces', userName: 'nazli', password: 'stone-walls-and-vines' };

const terraceNumbers = Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(2, '0'));
export const secretOf = (deviceName: string) => `e2e-${deviceName.toLowerCase()}-7c01f5b2e94da836`;
const mast = (deviceName: string, noteName: string, more = {}) => ({
  deviceName,
  serial: `N-${deviceName}`,
  noteName,
  product: 'weather-mast',
  secret: secretOf(deviceName),
  ...more,
});

/** Creates the tenant with its devices in their initial state. */
export const applyDeviceTenant = (): Promise<void> =>
  applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: deviceUser.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: deviceUser.userName, password: deviceUser.password, nickname: 'Nazlı' }],
          scenes: ['Lower slope', 'North field', 'Far field'],
          devices: [
            ...terraceNumbers.map((number) => mast(`TE-${number}`, `Terrace ${number}`)),
            mast('NA-LIGHT', 'Işık ölçer'),
            mast('MO-MAST', 'Moving mast', { scene: 'North field', longitude: 27.34, latitude: 37.85 }),
            mast('MO-NORTH', 'Northern mast', { scene: 'North field', longitude: 27.342, latitude: 37.852 }),
            mast('MO-EAST', 'Far mast, east', { scene: 'Far field', longitude: 27.604, latitude: 37.702 }),
            mast('MO-WEST', 'Far mast, west', { scene: 'Far field', longitude: 27.6, latitude: 37.7 }),
            mast('MO-UP', 'Far mast, north', { scene: 'Far field', longitude: 27.602, latitude: 37.704 }),
            mast('SC-MAST', 'Mast of a scene', { scene: 'Lower slope' }),
            mast('SE-MAST', 'Mast with a secret'),
            mast('PH-MAST', 'Mast on a phone', { longitude: 27.3421, latitude: 37.8561 }),
          ],
        },
      ],
    }),
  );

export const open = (page: Page, search = '') => openSignedIn(page, deviceUser, `/device${search}`);
export const table = (page: Page) => page.getByRole('table', { name: 'Devices' });
export const row = (page: Page, deviceName: string) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: deviceName, exact: true }) });
export const sheet = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
