import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Colour, striped } from './picture.ts';

/** A tile server. Like OpenStreetMap's, it refuses requests that do not say where they come from. */
export interface TileServer {
  /** http://127.0.0.1:PORT */
  origin: string;
  /** The Referer of each request; undefined: it had none and was refused. */
  referers: (string | undefined)[];
  /** From now on it refuses all. */
  refuse: () => void;
  close: () => Promise<void>;
}

const ground: Colour = [170, 200, 150];

export async function startTiles(): Promise<TileServer> {
  const tile = striped(256, [[256, ground]]);
  const referers: (string | undefined)[] = [];
  let refusing = false;
  const server = createServer(({ headers }, answer) => {
    referers.push(headers.referer);
    if (refusing || !headers.referer) answer.writeHead(403).end();
    else answer.writeHead(200, { 'Content-Type': 'image/png', 'Cache-Control': 'no-store' }).end(tile);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    referers,
    refuse: () => {
      refusing = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
