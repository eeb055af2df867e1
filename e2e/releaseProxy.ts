import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A proxy in front of the server under test that can simulate its next release. */
export type ReleaseProxy = { address: string; next: () => void; close: () => Promise<void> };

/** The build's name after `next`; as long as a real one. */
export const nextBuild = 'next00000000';

export async function startReleaseProxy(target: string): Promise<ReleaseProxy> {
  const [host, port] = target.split(':') as [string, string];
  let released = false;

  const pass = (from: IncomingMessage, to: ServerResponse) => {
    const page = from.headers.accept?.startsWith('text/html') || from.url === '/' || from.url === '/sw.js';
    // Rewritten content must come uncompressed.
    const headers = page ? { ...from.headers, 'accept-encoding': 'identity' } : from.headers;
    const onward = request({ host, port, path: from.url, method: from.method, headers }, (answer) => {
      if (!page || !released) {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
        return;
      }
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => {
        const { 'content-length': _, ...rest } = answer.headers;
        to.writeHead(answer.statusCode ?? 502, rest);
        to.end(withNextBuild(text));
      });
    });
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    from.pipe(onward);
  };

  const server = createServer(pass);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the release has no port');
  return {
    address: `http://127.0.0.1:${bound.port}`,
    next: () => {
      released = true;
    },
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** The page and the worker contain the build's name. */
function withNextBuild(text: string): string {
  return text
    .replace(/(name="tilth-build" content=")\w+/, `$1${nextBuild}`)
    .replace(/(["'`]?build["'`]?:["'`])\w{12}(["'`])/, `$1${nextBuild}$2`);
}
