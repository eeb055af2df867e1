import { startServer } from './server.ts';

/** One server for all specs; each spec uses devices of its own. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startServer();
  return server.stop;
}
