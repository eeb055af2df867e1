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
          scenes: ['Lower slope'],
          devices: [
            ...terraceNumbers.map((number) => mast(`TE-${number}`, `Terrace ${number}`)),
            mast('NA-FIG', 'İncir bahçesi'),
            mast('NA-LIGHT', 'Işık ölçer'),
            mast('NA-NORTH', 'Северный склон'),
            mast('MO-MAST', 'Moving mast', { longitude: 27.3412, latitude: 37.8571 }),
            mast('SC-MAST', 'Mast of a scene', { scene: 'Lower slope' }),
            mast('TW-MAST', 'Seen by two'),
            mast('SE-MAST', 'Mast with a secret'),
            mast('RE-MAST', 'Mast that errs'),
            mast('PH-MAST', 'Mast on a phone', { longitude: 27.3421, latitude: 37.8561 }),
            mast('GH-HOUSE', 'Glass house', { product: 'greenhouse-climate', scene: 'Lower slope' }),
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
/** The first column of the table. */
export const remarkNames = (page: Page) => table(page).getByRole('rowheader');
export const sheet = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
