import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect } from './test.ts';
import { fetchApiData, openSignedIn } from './testUsers.ts';

export const path = '/admin-api/client/pc';

interface NoticeTenant {
  person: { tenantName: string; userName: string; password: string };
  /** Other users of the tenant, and its hosts. */
  more?: { users?: object[]; hosts?: string[] };
  /** The scene of all devices. */
  scene: string;
  /** Ends the secrets of the devices. */
  secret: string;
  /** Masts: the title of each by its name. */
  devices: Record<string, string>;
}

/** A tenant with masts whose readings raise notices. */
export function noticeTenant({ person, more, scene, secret, devices }: NoticeTenant) {
  const secretOf = (deviceName: string) => `e2e-${deviceName.toLowerCase()}-${secret}`;
  const users = [{ userName: person.userName, password: person.password, nickname: 'Deniz' }, ...(more?.users ?? [])];
  const tenant = {
    name: person.tenantName,
    timeZone: 'Europe/Istanbul',
    language: 'en-us',
    hosts: more?.hosts,
    users,
    scenes: [scene],
    devices: Object.entries(devices).map(([deviceName, noteName]) => ({
      deviceName,
      serial: `N-${deviceName}`,
      noteName,
      product: 'weather-mast',
      secret: secretOf(deviceName),
      scene,
    })),
  };
  return {
    apply: () => applyYaml(JSON.stringify({ tenants: [tenant] })),
    run: (alarmName: string, executionId: string, change = {}) => runRule(person, executionId, alarmName, change),
    measure: (deviceName: string, airTemperature: number) =>
      publish(deviceName, secretOf(deviceName), { airTemperature, airHumidity: 80 }),
    /** Waits until a rule has recorded a notice, and returns its id. */
    noticeOf: async (title: string): Promise<number> => {
      const ask = async () => {
        const query = new URLSearchParams({ title, pageNo: '1', pageSize: '10' });
        const { list } = await fetchApiData(person, 'GET', `${path}/alarm-notice/page?${query}`);
        return list[0]?.id;
      };
      await expect.poll(ask).toBeGreaterThan(0);
      return ask();
    },
    open: (page: Page, search = '') => openSignedIn(page, person, `/inform${search}`),
  };
}

export const list = (page: Page) => page.getByRole('list', { name: 'Alarm notices' });
export const card = (page: Page, title: string) => list(page).getByRole('link').filter({ hasText: title });
export const detail = (page: Page) => page.getByRole('region', { name: 'Notice', exact: true });
export const heading = (page: Page, name: string) => detail(page).getByRole('heading', { level: 2, name });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
