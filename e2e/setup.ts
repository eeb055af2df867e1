import type { FullConfig } from '@playwright/test';
import { startServer } from './server.ts';

/** A server for each worker, so that what one test does to a server is nothing to those beside it. */
export default async function setup(config: FullConfig): Promise<() => Promise<void>> {
  const servers = await Promise.all(Array.from({ length: config.workers }, (_, worker) => startServer(worker)));
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}
