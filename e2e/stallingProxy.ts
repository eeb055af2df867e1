import { connect, createServer, type Socket } from 'node:net';

/** A proxy to the server that holds the answer to one request after its first bytes. */
export type StallingProxy = {
  address: string;
  /** Resolves when the proxy holds the answer. */
  stalled: Promise<void>;
  /**
   * After the client has gone: receives everything that the server still sends, and resolves to the
   * number of bytes when the server ends it.
   */
  sent: Promise<number>;
  close: () => Promise<void>;
};

/** The bytes passed on before the stall: enough that the client sees data arrive. */
const bytesBeforeStall = 64 * 1024;

/**
 * Holds the answer to the request whose first line contains `wanted`. When the client leaves, the
 * proxy only half-closes the connection to the server and keeps reading, so that only the server
 * itself can stop.
 */
export async function startStallingProxy(target: string, wanted: string): Promise<StallingProxy> {
  const [host, port] = target.split(':') as [string, string];
  const held = deferred<void>();
  const sent = deferred<number>();
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const line = connect({ port: Number(port), host, allowHalfOpen: true });
    for (const socket of [client, line]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => socket.destroy());
    }
    let chosen = false;
    let gone = false;
    let bytes = 0;
    client.on('data', (chunk) => {
      if (chunk.toString('latin1').split('\r\n', 1)[0]?.includes(wanted)) {
        chosen = true;
        bytes = 0;
      }
      line.write(chunk);
    });
    line.on('data', (chunk) => {
      bytes += chunk.length;
      if (!gone) client.write(chunk);
      if (chosen && !gone && bytes >= bytesBeforeStall) {
        line.pause();
        held.resolve();
      }
    });
    const leave = () => {
      if (gone) return;
      gone = true;
      line.end();
      line.resume();
    };
    client.on('end', leave);
    client.on('close', leave);
    line.on('end', () => client.end());
    line.on('close', () => {
      if (chosen) sent.resolve(bytes);
      client.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the line has no port');
  return {
    address: `http://127.0.0.1:${bound.port}`,
    stalled: held.promise,
    sent: sent.promise,
    close: () =>
      new Promise<void>((done) => {
        for (const socket of open) socket.destroy();
        server.close(() => done());
      }),
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
