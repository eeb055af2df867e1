// Lighthouse's scores of the sign-in page and of the home page of the demo's farm, on a desktop and
// on a phone with a slow connection: the median of five visits with nothing cached. Starts the built
// binary's demo on an empty folder; prints each score beside the required one and exits with 1 if
// one is missed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';

const required = {
  '/signin': {
    desktop: { performance: 97, accessibility: 100 },
    phone: { performance: 85, accessibility: 100 },
  },
  '/dashboard-default': {
    desktop: { performance: 85, accessibility: 100 },
    phone: { performance: 85, accessibility: 100 },
  },
};
const visits = 5;
const demo = { tenantName: 'demo', userName: 'demo', password: 'demo-farm' };
const categories = ['performance', 'accessibility', 'best-practices'];
const chromePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

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
      ...['demo', `--data-dir=${folder}`, '--log-level=error', '--history=1d'],
      ...[`--http-addr=127.0.0.1:${http}`, `--mqtt-addr=127.0.0.1:${mqtt}`, `--admin-addr=127.0.0.1:${admin}`],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise((done) => server.once('exit', done));
  const url = `http://127.0.0.1:${http}`;
  for (const deadline = Date.now() + 120_000; ; ) {
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

/** The user's session, as the console stores it (src/lib/session). */
async function openSession(url) {
  const answer = await fetch(`${url}/app-api/member/auth/login-username`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...demo, rememberMe: true }),
  });
  const { code, data, msg } = await answer.json();
  if (code !== 200) throw new Error(`sign-in was refused: ${code} ${msg}`);
  const { accessToken, refreshToken, userId, expiresTime } = data;
  return { accessToken, refreshToken, userId, expiresAt: expiresTime, renewAt: expiresTime - 120_000 };
}

/** Leaves the site in Chrome with nothing but a session, or without one. */
async function prepare(url, port, session) {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  const page = await browser.contexts()[0].newPage();
  // A plain file of the site: storage belongs to the site, and no page runs there.
  await page.goto(`${url}/favicon.svg`);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' });
  await cdp.send('Network.clearBrowserCache');
  if (session) await page.evaluate((text) => localStorage.setItem('tilth.session', text), JSON.stringify(session));
  await page.close();
  await browser.close();
}

async function visit(url, port, config) {
  const flags = { port, onlyCategories: categories, logLevel: 'error', disableStorageReset: true };
  const { lhr } = await lighthouse(url, flags, config);
  if (lhr.finalDisplayedUrl !== url) throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
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

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

const chrome = await launch({ chromePath, chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'] });
let server;
let missed = false;
try {
  server = await startServer();
  const session = await openSession(server.url);
  for (const [path, devices] of Object.entries(required)) {
    for (const [name, least] of Object.entries(devices)) {
      console.log(`${path}, ${name}`);
      const results = [];
      for (let i = 0; i < visits; i += 1) {
        await prepare(server.url, chrome.port, path === '/signin' ? null : session);
        results.push(await visit(`${server.url}${path}`, chrome.port, name === 'desktop' ? desktopConfig : undefined));
      }
      for (const id of categories) {
        const got = median(results.map((result) => result[id]));
        const below = least[id] !== undefined && got < least[id];
        missed ||= below;
        const limit = least[id] === undefined ? '' : `, required ${least[id]}${below ? ': MISSED' : ''}`;
        console.log(`  ${id.padEnd(15)} ${String(got).padStart(3)}${limit}`);
      }
    }
  }
} finally {
  chrome.kill();
  await server?.stop();
}
process.exitCode = missed ? 1 : 0;
