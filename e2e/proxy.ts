import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of the server whose connection can be cut and restored. */
export type Proxy = { address: string; cut: () => void; mend: () => void; close: () => Promise<void> };

export async function startProxy(target: string): Promise<Proxy> {
  const [host, port] = target.split(':') as [string, string];
  const open = new Set<Socket>();
  let down = false;
  const server = createServer((from) => {
    if (down) {
      from.destroy();
      return;
    }
    const to = connect(Number(port), host);
    for (const [a, b] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(a);
      a.on('error', () => b.destroy());
      a.on('close', () => {
        open.delete(a);
        b.destroy();
      });
      a.pipe(b);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') {
    throw new Error('the proxy has no port');
  }
  return {
    address: `http://127.0.0.1:${bound.port}`,
    cut: () => {
      down = true;
      for (const socket of open) {
        socket.destroy();
      }
    },
    mend: () => {
      down = false;
    },
    close: () =>
      new Promise<void>((done) => {
        for (const socket of open) {
          socket.destroy();
        }
        server.close(() => done());
      }),
  };
}
