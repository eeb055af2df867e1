import { HttpResponse, http, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';
import { vi } from 'vitest';

/** Answers calls in tests; a call that no test expects is an error. */
export const server = setupServer();

export const ok = (data: JsonBodyType) => HttpResponse.json({ code: 200, data, msg: '' });
export const refused = (code: number, msg = '', data: JsonBodyType = null) => HttpResponse.json({ code, data, msg });

type Resolver = Parameters<typeof http.get>[1];

export function onGet(path: string, answer: Resolver): void {
  server.use(http.get(`*${path}`, answer));
}

export function onPost(path: string, answer: Resolver): void {
  server.use(http.post(`*${path}`, answer));
}

export function onPut(path: string, answer: Resolver): void {
  server.use(http.put(`*${path}`, answer));
}

export function onDelete(path: string, answer: Resolver): void {
  server.use(http.delete(`*${path}`, answer));
}

/** From now on this machine reports no network, and no call is answered. */
export function withoutNetwork(): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.use(http.all('*', () => HttpResponse.error()));
}
