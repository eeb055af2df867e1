import { test as base } from '@playwright/test';
import { type Addresses, addresses, startServer } from './server.ts';

export { expect } from '@playwright/test';

/**
 * Playwright's test, with one server per worker: an empty data folder, free ports, the tenants of
 * tenants.yaml. A worker's files share it one after the other. Playwright replaces a worker after a
 * failed test, and so its server: a retry starts afresh.
 */
export const test = base.extend<{ host: string }, { server: Addresses }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright derives the required fixtures from it
    async ({}, use) => {
      const stop = await startServer();
      await use(addresses());
      await stop();
    },
    { scope: 'worker', auto: true, timeout: 120_000 },
  ],
  /** The host name under which a file's browser reaches the console: that of its tenant. */
  host: ['127.0.0.1', { option: true }],
  baseURL: ({ server, host }, use) => use(`http://${host}:${server.port}`),
});
