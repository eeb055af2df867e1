import { expect, type Page } from '@playwright/test';
import { applyYaml, serverLog, siteOf } from './server.ts';
import { callApi as ask, openSignedIn, type TestUser } from './testUsers.ts';

/** The host of the users with a profile. */
export const host = 'profiles.localhost';

type Profile = TestUser & { nickname: string; mobile: string };
let users = 0;

/** Adds a user with its own phone number, which is not bound if `bound` is false. */
export async function addProfileUser(bound = true): Promise<Profile> {
  users += 1;
  const userName = `selin-${users}`;
  const password = 'planted-in-the-spring';
  const nickname = `Selin ${users}`;
  const mobile = `+905551${100_000 + users}`;
  const user = { userName, password, nickname, email: `${userName}@example.com`, ...(bound ? { mobile } : {}) };
  const place = { name: 'profiles', hosts: [host], timeZone: 'Europe/Istanbul', language: 'en-us' };
  await applyYaml(JSON.stringify({ tenants: [{ ...place, users: [user] }] }));
  return { tenantName: 'profiles', userName, password, nickname, mobile };
}

export const open = (page: Page, person: TestUser, tab = '') =>
  openSignedIn(page, person, `/profile${tab && `?tab=${tab}`}`, siteOf('profiles'));
export const bar = (page: Page) => page.getByRole('banner');

/** The last code sent to a number. */
export async function lastCodeSentTo(number: string): Promise<string> {
  const sent = () =>
    serverLog()
      .split('\n')
      .filter((line) => line.includes(`to=${number} `))
      .map((line) => /code (\d{6})/.exec(line)?.[1])
      .at(-1);
  await expect.poll(sent).toBeTruthy();
  return sent() ?? '';
}

/** Calls the server directly, like a program of the user. */
export const call = (person: TestUser, path: string, body?: object) => ask(person, body ? 'POST' : 'GET', path, body);
