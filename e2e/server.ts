import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { botApi, botToken } from './telegram.ts';

/** The built binary; TILTH_E2E_BINARY overrides it. */
const binary = process.env.TILTH_E2E_BINARY ?? resolve(import.meta.dirname, '../bin/tilth');

const environment = {
  ...process.env,
  TILTH_PROVIDER_TOKEN: 'e2e-provider-token-0123456789abcdef',
  TILTH_TELEGRAM_TOKEN: botToken,
};

/** The addresses of the server under test; the system chooses the ports. */
export type Addresses = { console: string; port: number; http: string; mqtt: string; admin: string };

let currentAddresses: Addresses | undefined;
const log: string[] = [];

/**
 * The addresses of this worker's server. It starts before the first hook and the first test; code
 * at a file's top level runs too early.
 */
export function addresses(): Addresses {
  if (!currentAddresses) throw new Error('there is no server yet: call this in a hook or a test');
  return currentAddresses;
}

/**
 * The address at which browsers reach the server under a tenant's host. Only browsers resolve
 * *.localhost.
 */
export const siteOf = (tenant: string): string => `http://${tenant}.localhost:${addresses().port}`;

/**
 * Starts the built binary on an empty data folder, with further flags, and applies e2e/tenants.yaml.
 * Returns a function that stops it.
 */
export async function startServer(flags: readonly string[] = []): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-e2e-'));
  const server = spawn(
    binary,
    [
      'serve',
      `--data-dir=${join(folder, 'data')}`,
      ...['http', 'mqtt', 'admin'].map((name) => `--${name}-addr=127.0.0.1:0`),
      '--default-tenant=orchard',
      '--sms=log',
      `--telegram-api=${await botApi.start()}`,
      // The receiver of e2e/webhook.spec.ts listens on this machine.
      '--webhook-private=127.0.0.0/8',
      // Tests with their own client address send it like a proxy does.
      '--trusted-proxies=127.0.0.1/32',
      ...flags,
    ],
    { env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(server, 'exit');
  const ready = await new Promise<string>((resolve, reject) => {
    server.once('error', reject);
    createInterface(server.stderr)
      .on('line', (line) => {
        log.push(line);
        if (line.includes('msg="tilth is ready"')) resolve(line);
      })
      .once('close', () => reject(new Error(`the server did not become ready:\n${serverLog()}`)));
  });
  const readAddress = (name: string) => {
    const address = new RegExp(` ${name}=(127\\.0\\.0\\.1:\\d+)`).exec(ready)?.[1];
    if (!address) throw new Error(`the server does not say where ${name} is: ${ready}`);
    return address;
  };
  const http = readAddress('http');
  currentAddresses = {
    console: `http://${http}`,
    port: Number(http.split(':')[1]),
    http,
    mqtt: readAddress('mqtt'),
    admin: readAddress('admin'),
  };
  await applyYaml(readFileSync(resolve(import.meta.dirname, 'tenants.yaml'), 'utf8'));
  return async () => {
    server.kill('SIGTERM');
    await ended;
    botApi.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The server's log so far, including SMS. A line appears a moment after its event. */
export const serverLog = (): string => log.join('\n');

/**
 * Applies a file's text through the command line, like a provider; with overwrite it also sets what is
 * otherwise set at creation only.
 */
export async function applyYaml(yaml: string, overwrite = false): Promise<void> {
  const { admin } = addresses();
  await new Promise<void>((resolve, reject) => {
    const run = execFile(
      binary,
      ['apply', '-f', '-', `--server=http://${admin}`, ...(overwrite ? ['--overwrite'] : [])],
      { env: environment },
      (error, stdout, stderr) => (error ? reject(new Error(`tilth apply: ${stdout}${stderr}`)) : resolve()),
    );
    run.stdin?.end(yaml);
  });
}
