import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { addresses } from './server.ts';

// The system's Chromium: browsers are not downloaded.
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  globalSetup: './setup.ts',
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    baseURL: addresses.console,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Istanbul',
    // A worker would stand between a test and the answers that it puts in place of the server's; its own tests allow it.
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
