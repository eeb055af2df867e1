import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

// Uses the system's Chromium: browsers are not downloaded. The headless shell needs a quarter less
// CPU.
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Files that measure how soon something opens, or start a cluster: `make prove` runs them, one at a time. */
const alone = /\.alone\.spec\.ts$/;

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  // Each worker has its own server (test.ts); the tests of a file stay in one worker, in their
  // order.
  workers: 2,
  projects: [
    { name: 'pages', testIgnore: alone },
    { name: 'alone', testMatch: alone },
  ],
  // Generous, for busy machines, and for two browsers on two processors: the tests continue as soon
  // as the awaited state is there.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  // What fails runs once more, alone (scripts/browser-test.sh).
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Istanbul',
    // A service worker would bypass the answers with which a test replaces the server's; its own
    // tests allow it.
    serviceWorkers: 'block',
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
