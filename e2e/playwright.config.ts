import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

// The system's Chromium: browsers are not downloaded. The one without a window needs a quarter less of the processor.
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Files whose tests measure time: they run when all others have ended, one at a time. */
const alone = /\.alone\.spec\.ts$/;

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  // Each has a server of its own (test.ts); the tests of a file stay in one, in their order.
  workers: 2,
  projects: [
    { name: 'pages', testIgnore: alone },
    { name: 'alone', testMatch: alone, dependencies: ['pages'] },
  ],
  // Generous, for machines that do much else, and for two browsers on two processors: what is waited for comes as soon as it is there.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  // A second try writes a trace of what it sees; that it passes then excuses nothing.
  retries: 1,
  failOnFlakyTests: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Istanbul',
    // A worker would stand between a test and the answers that it puts in place of the server's; its own tests allow it.
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
