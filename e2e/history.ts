import { expect, type Locator, type Page, type Request } from '@playwright/test';
import { historyUser } from './historyTenant.ts';
import { fetchApi, openSignedIn } from './testUsers.ts';

const base = '/admin-api/client/pc/device';
export const calls = {
  columns: `${base}/get/columns/time-interval-data`,
  rows: `${base}/get/format-sign-array/time-interval-data`,
  file: `${base}/export-device-data-excel`,
} as const;

/** Opens the history of a device by its address and waits until it is drawn. */
export async function openHistory(page: Page, deviceName: string, site?: string): Promise<Locator> {
  await openSignedIn(page, historyUser, `/data?device=${deviceName}&history=1`, site);
  const dialog = page.getByRole('dialog', { name: /^(History of|История|Geçmiş)/ });
  // One test measures the time; this only waits, also on busy machines.
  await expect(dialog.locator('[data-drawn=true]')).toBeVisible({ timeout: 30_000 });
  return dialog;
}

export const plotOf = (dialog: Locator) => dialog.getByRole('slider', { name: 'Time in the chart' });
export const preset = (dialog: Locator, name: string) =>
  dialog.getByRole('radiogroup', { name: 'Range' }).getByText(name, { exact: true });
export const attribute = (dialog: Locator, name: string) =>
  dialog.getByRole('checkbox', { name: new RegExp(`^${name}`) });
export const figures = (dialog: Locator, name: RegExp) => dialog.getByRole('row', { name });

/** The ends of the visible part, epoch milliseconds. */
export async function windowOf(dialog: Locator): Promise<{ from: number; to: number; length: number }> {
  const plot = plotOf(dialog);
  const [from, to] = [
    Number(await plot.getAttribute('aria-valuemin')),
    Number(await plot.getAttribute('aria-valuemax')),
  ];
  return { from, to, length: to - from };
}

/** Records the page's requests to a call from now on. */
export function recordRequests(page: Page, path: string): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  page.on('request', (request: Request) => {
    const url = new URL(request.url());
    if (url.pathname === path) asked.push(url.searchParams);
  });
  return asked;
}

export const spanOf = (query: URLSearchParams) => Number(query.get('endTime')) - Number(query.get('startTime'));

export type Row = { collect_time: number } & Record<string, number | boolean | string>;

/** The readings by time, as a program of the grower reads them. */
export async function rowsOf(deviceName: string, from: number, to: number, ids: readonly string[]): Promise<Row[]> {
  const query = { deviceName, startTime: String(from), endTime: String(to), yeuSignList: ids.join(',') };
  const answer = await fetchApi(historyUser, `${calls.rows}?${new URLSearchParams(query)}`);
  const { code, data, msg } = await answer.json();
  if (code !== 200) throw new Error(`the rows were refused: ${code} ${msg}`);
  return data;
}
