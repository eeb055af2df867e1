import type { BrowserContext, Page } from '@playwright/test';
import { addresses } from './server.ts';

/** Somebody who can sign in. */
export type TestUser = { tenantName: string; userName: string; password: string };

/** A session as the console keeps it in localStorage. */
export type Session = { accessToken: string; refreshToken: string; userId: number; expiresAt: number; renewAt: number };

export const sessionKey = 'tilth.session';

/** Signs in by the call alone, from an address of its own. */
export async function openSession({ tenantName, userName, password }: TestUser): Promise<Session> {
  const answer = await fetch(`${addresses().console}/app-api/member/auth/login-username`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': freshAddress() },
    body: JSON.stringify({ tenantName, userName, password, rememberMe: true }),
  });
  const { code, data, msg } = await answer.json();
  if (code !== 200) throw new Error(`sign-in was refused: ${code} ${msg}`);
  const { accessToken, refreshToken, userId, expiresTime } = data;
  return { accessToken, refreshToken, userId, expiresAt: expiresTime, renewAt: expiresTime - 120_000 };
}

/** What the server answers to any call; what is in it the caller knows. */
// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse gives it
export type Answer = { code: number; data: any; msg: string };

const apiSessions = new Map<string, Promise<Session>>();

/** Calls the server past the screens, as a program of the person's would, which signs in once. */
export async function callApi(
  person: TestUser,
  method: string,
  path: string,
  body?: object,
  language = 'en-us',
): Promise<Answer> {
  const answer = await fetchApi(person, path, {
    method,
    headers: { 'Content-Type': 'application/json', 'Accept-Language': language },
    body: body && JSON.stringify(body),
  });
  return answer.json();
}

/** The same, and what came as it is. */
export async function fetchApi(
  person: TestUser,
  path: string,
  { headers, ...request }: RequestInit = {},
): Promise<Response> {
  const name = JSON.stringify(person);
  const asked = async (): Promise<Response> => {
    const session = apiSessions.get(name) ?? openSession(person);
    apiSessions.set(name, session);
    const { accessToken } = await session;
    return fetch(`${addresses().console}${path}`, {
      ...request,
      headers: { ...headers, Authorization: `Bearer ${accessToken}` },
    });
  };
  const response = await asked();
  const ended = response.headers.get('Content-Type')?.startsWith('application/json')
    ? ((await response.clone().json()) as { code?: number }).code === 401
    : false;
  if (!ended) return response;
  // Twenty people have signed in as this one since.
  apiSessions.delete(name);
  return asked();
}

/** Calls as above and gives the data; anything but success is an error. */
export async function fetchApiData(...asked: Parameters<typeof callApi>): Promise<Answer['data']> {
  const { code, data, msg } = await callApi(...asked);
  if (code !== 200) throw new Error(`${asked[1]} ${asked[2]}: ${code} ${msg}`);
  return data;
}

/** Puts a session into the browser's storage for a site, as another tab would. */
export async function storeSession(page: Page, session: Session, site: string = addresses().console): Promise<void> {
  // A file of the site: storage belongs to the site, and no page runs there that could take notice.
  await page.goto(`${site}/favicon.svg`);
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [sessionKey, JSON.stringify(session)] as const);
}

/** Signs a person in, past the sign-in page, and opens a page of the console. */
export async function openSignedIn(
  page: Page,
  person: TestUser,
  path: string,
  site: string = addresses().console,
): Promise<void> {
  await storeSession(page, await openSession(person), site);
  await page.goto(`${site}${path}`);
}

/**
 * Lets a browser come from a network address of its own, so that what fails there makes nobody else's sign-in demand the captcha.
 */
export async function setOwnAddress(context: BrowserContext): Promise<void> {
  await context.setExtraHTTPHeaders({ 'X-Forwarded-For': freshAddress() });
}

let addressesTaken = 0;

/** An address that nothing else comes from; the server believes what a proxy on its own machine says. */
function freshAddress(): string {
  addressesTaken += 1;
  return `198.18.${Math.floor(addressesTaken / 256)}.${addressesTaken % 256}`;
}
