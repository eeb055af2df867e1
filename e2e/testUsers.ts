import type { BrowserContext, Page } from '@playwright/test';
import { addresses } from './server.ts';

/** A user who can sign in. */
export type TestUser = { tenantName: string; userName: string; password: string };

/** A session as the console stores it in localStorage. */
export type Session = { accessToken: string; refreshToken: string; userId: number; expiresAt: number; renewAt: number };

export const sessionKey = 'tilth.session';

/** Signs in by API, from an address of its own. */
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

/** The server's answer to any call; the caller knows the data's type. */
// biome-ignore lint/suspicious/noExplicitAny: like JSON.parse
export type Answer = { code: number; data: any; msg: string };

const apiSessions = new Map<string, Promise<Session>>();

/** Calls the server directly, like a program of the user that signs in once. */
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

/** Like callApi, but returns the raw response. */
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
  // Twenty later sign-ins have replaced this session.
  apiSessions.delete(name);
  return asked();
}

/** Like callApi, but returns the data; anything but success is an error. */
export async function fetchApiData(...asked: Parameters<typeof callApi>): Promise<Answer['data']> {
  const { code, data, msg } = await callApi(...asked);
  if (code !== 200) throw new Error(`${asked[1]} ${asked[2]}: ${code} ${msg}`);
  return data;
}

/** Stores a session in the browser for a site, as another tab would. */
export async function storeSession(page: Page, session: Session, site: string = addresses().console): Promise<void> {
  // Opens a plain file of the site: storage belongs to the site, and no page runs there that could
  // react.
  await page.goto(`${site}/favicon.svg`);
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [sessionKey, JSON.stringify(session)] as const);
}

/** Signs a user in without the sign-in page, and opens a page of the console. */
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
 * Gives a browser its own network address, so that its failures make no other sign-in demand the
 * captcha.
 */
export async function setOwnAddress(context: BrowserContext): Promise<void> {
  await context.setExtraHTTPHeaders({ 'X-Forwarded-For': freshAddress() });
}

let addressesTaken = 0;

/** An unused address; the server trusts the header of a proxy on its own machine. */
function freshAddress(): string {
  addressesTaken += 1;
  return `198.18.${Math.floor(addressesTaken / 256)}.${addressesTaken % 256}`;
}
