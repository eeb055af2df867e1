import { test as base } from '@playwright/test';
import { type Addresses, addresses, startServer } from './server.ts';

export { expect } from '@playwright/test';

/**
 * Playwright's test, with a server of the worker's own: an empty data folder, free ports, the farms of farm.yaml. Files of a worker
 * share it one after the other. A worker that a test has failed in is replaced, and so is its server: a second try begins anew.
 */
export const test = base.extend<{ host: string }, { server: Addresses }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it that nothing else is needed
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
