import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const types: Record<string, string> = {
  m3u8: 'application/vnd.apple.mpegurl',
  ts: 'video/mp2t',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

/** A camera's server: ffmpeg makes its files; unplugging it stops it. */
export interface CameraServer {
  /** http://127.0.0.1:PORT */
  origin: string;
  /** How often a path was requested. */
  asked: (path: string) => number;
  unplug: () => void;
  plugIn: () => void;
  close: () => Promise<void>;
}

/**
 * Serves gate.m3u8 with its segments, and film.mp4 and film.webm, to any origin, with byte ranges
 * for players.
 */
export async function startCameras(): Promise<CameraServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-camera-'));
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=10'];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '10'];
  film([
    ...picture,
    '-t',
    '60',
    ...h264,
    '-f',
    'hls',
    '-hls_time',
    '2',
    '-hls_list_size',
    '0',
    join(folder, 'gate.m3u8'),
  ]);
  film([...picture, '-t', '20', ...h264, '-movflags', '+faststart', join(folder, 'film.mp4')]);
  film([...picture, '-t', '20', '-c:v', 'libvpx', '-b:v', '200k', '-deadline', 'realtime', join(folder, 'film.webm')]);

  const files = new Set(readdirSync(folder));
  let plugged = true;
  const counts = new Map<string, number>();
  const server = createServer((request, answer) => {
    const path = (request.url ?? '').slice(1);
    counts.set(path, (counts.get(path) ?? 0) + 1);
    answer.setHeader('Access-Control-Allow-Origin', '*');
    if (!plugged) {
      answer.writeHead(503).end();
      return;
    }
    const type = types[path.split('.')[1] ?? ''];
    if (!type || !files.has(path)) {
      answer.writeHead(404).end();
      return;
    }
    const body = readFileSync(join(folder, path));
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    answer.setHeader('Content-Type', type);
    answer.setHeader('Accept-Ranges', 'bytes');
    if (from === undefined) {
      answer.writeHead(200, { 'Content-Length': body.length }).end(body);
      return;
    }
    const end = to ? Number(to) + 1 : body.length;
    const range = { 'Content-Range': `bytes ${from}-${end - 1}/${body.length}`, 'Content-Length': end - Number(from) };
    answer.writeHead(206, range).end(body.subarray(Number(from), end));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: (path) => counts.get(path) ?? 0,
    unplug: () => {
      plugged = false;
      server.closeAllConnections();
    },
    plugIn: () => {
      plugged = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true });
    },
  };
}

function film(options: string[]): void {
  const run = spawnSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-nostdin', ...options], { encoding: 'utf8' });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`ffmpeg: ${run.stderr}`);
}
