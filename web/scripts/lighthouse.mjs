// Lighthouse's scores of the sign-in page on a desktop and on a phone with a slow connection.
// Starts the built binary on an empty folder; prints each score beside the required one and exits
// with 1 if one is missed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';

const asked = {
  desktop: { performance: 97, accessibility: 100 },
  phone: { performance: 85, accessibility: 100 },
};
const categories = ['performance', 'accessibility', 'best-practices'];
const chromePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-lighthouse-'));
  const [http, mqtt, admin] = await Promise.all([freePort(), freePort(), freePort()]);
  const binary = resolve(import.meta.dirname, '../../bin/tilth');
  const server = spawn(
    binary,
    [
      ...['serve', `--data-dir=${folder}`, '--log-level=error', '--default-tenant=lighthouse'],
      ...[`--http-addr=127.0.0.1:${http}`, `--mqtt-addr=127.0.0.1:${mqtt}`, `--admin-addr=127.0.0.1:${admin}`],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise((done) => server.once('exit', done));
  const url = `http://127.0.0.1:${http}`;
  for (const deadline = Date.now() + 30_000; ; ) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) break;
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('the server does not start');
    await new Promise((done) => setTimeout(done, 100));
  }
  return {
    url,
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function scores(url, port, config) {
  const { lhr } = await lighthouse(url, { port, onlyCategories: categories, logLevel: 'error' }, config);
  const failed = Object.values(lhr.audits).filter(
    ({ score, scoreDisplayMode }) => scoreDisplayMode === 'binary' && score === 0,
  );
  for (const { id, title } of failed) console.log(`  ${id}: ${title}`);
  const figures = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ];
  console.log(`  ${figures.map((id) => `${id} ${lhr.audits[id].displayValue}`).join(', ')}`);
  return Object.fromEntries(categories.map((id) => [id, Math.round(lhr.categories[id].score * 100)]));
}

const server = await startServer();
const chrome = await launch({ chromePath, chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'] });
let missed = false;
try {
  for (const [name, config] of [
    ['desktop', desktopConfig],
    ['phone', undefined],
  ]) {
    console.log(`/signin, ${name}`);
    const got = await scores(`${server.url}/signin`, chrome.port, config);
    for (const id of categories) {
      const least = asked[name][id];
      const below = least !== undefined && got[id] < least;
      missed ||= below;
      console.log(
        `  ${id.padEnd(15)} ${String(got[id]).padStart(3)}${least ? `, required ${least}${below ? ': MISSED' : ''}` : ''}`,
      );
    }
  }
} finally {
  chrome.kill();
  await server.stop();
}
process.exitCode = missed ? 1 : 0;
