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

/** Files whose tests measure time: they run after all others, one at a time. */
const alone = /\.alone\.spec\.ts$/;

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  // Each worker has its own server (test.ts); the tests of a file stay in one worker, in their
  // order.
  workers: 2,
  projects: [
    { name: 'pages', testIgnore: alone },
    { name: 'alone', testMatch: alone, dependencies: ['pages'] },
  ],
  // Generous, for busy machines, and for two browsers on two processors: the tests continue as soon
  // as the awaited state is there.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  // A retry records a trace; its success does not make the test pass.
  retries: 1,
  failOnFlakyTests: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Istanbul',
    // A service worker would bypass the answers with which a test replaces the server's; its own
    // tests allow it.
    serviceWorkers: 'block',
    trace: 'on-first-retry',
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
