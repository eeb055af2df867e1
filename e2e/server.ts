import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The built binary; TILTH_E2E_BINARY names another one. */
const binary = process.env.TILTH_E2E_BINARY ?? resolve(import.meta.dirname, '../bin/tilth');

const environment = { ...process.env, TILTH_PROVIDER_TOKEN: 'e2e-provider-token-0123456789abcdef' };

/** Where the server under test listens; the system has chosen the ports. */
export type Addresses = { console: string; port: number; http: string; mqtt: string; admin: string };

let currentAddresses: Addresses | undefined;
const log: string[] = [];

/** Where this worker's server listens. It has started before the first hook and the first test; what a file sets up as it is read comes too early. */
export function addresses(): Addresses {
  if (!currentAddresses) throw new Error('there is no server yet: ask in a hook or a test');
  return currentAddresses;
}

/** Where browsers reach the server under a tenant's host. Only they know where *.localhost is. */
export const siteOf = (tenant: string): string => `http://${tenant}.localhost:${addresses().port}`;

/** Starts the built binary on an empty data folder and applies e2e/farm.yaml. What is returned stops it. */
export async function startServer(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-e2e-'));
  const server = spawn(
    binary,
    [
      'serve',
      `--data-dir=${join(folder, 'data')}`,
      ...['http', 'mqtt', 'admin'].map((name) => `--${name}-addr=127.0.0.1:0`),
      '--default-tenant=orchard',
      '--sms=log',
      // The program that e2e/webhook.spec.ts has told listens on this machine.
      '--webhook-private=127.0.0.0/8',
      // Tests that come from an address of their own say so as a proxy does.
      '--trusted-proxies=127.0.0.1/32',
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
  await applyYaml(readFileSync(resolve(import.meta.dirname, 'farm.yaml'), 'utf8'));
  return async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** What the server has logged so far; SMS are among it. A line comes a moment after what it tells of. */
export const serverLog = (): string => log.join('\n');

/** Applies a file's text through the command line, as a provider would. */
export async function applyYaml(yaml: string): Promise<void> {
  const { admin } = addresses();
  await new Promise<void>((resolve, reject) => {
    const run = execFile(
      binary,
      ['apply', '-f', '-', `--server=http://${admin}`],
      { env: environment },
      (error, stdout, stderr) => (error ? reject(new Error(`tilth apply: ${stdout}${stderr}`)) : resolve()),
    );
    run.stdin?.end(yaml);
  });
}
