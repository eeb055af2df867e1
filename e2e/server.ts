import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeCertificate } from './certificate.ts';

/** The built binary; TILTH_E2E_BINARY names another one. */
const binary = process.env.TILTH_E2E_BINARY ?? resolve(import.meta.dirname, '../bin/tilth');

// Ports of this run, the same in the runner and its workers, which inherit the environment.
process.env.TILTH_E2E_PORT ??= String(20_000 + 4 * Math.floor(Math.random() * 2_500));
const port = Number(process.env.TILTH_E2E_PORT);

/** Where the server under test listens. */
export const addresses = {
  console: `http://127.0.0.1:${port}`,
  port,
  http: `127.0.0.1:${port}`,
  mqtt: `127.0.0.1:${port + 1}`,
  admin: `127.0.0.1:${port + 2}`,
  mqttTls: `127.0.0.1:${port + 3}`,
};

export type Server = { stop: () => Promise<void> };

/** Starts the built binary on an empty data folder and applies e2e/farm.yaml. */
export async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-e2e-'));
  const token = 'e2e-provider-token-0123456789abcdef';
  const { certFile, keyFile } = makeCertificate(folder);
  process.env.TILTH_E2E_ROOT = certFile;
  const logFile = join(folder, 'server.log');
  process.env.TILTH_E2E_LOG = logFile;
  const log = openSync(logFile, 'a');
  const environment = { ...process.env, TILTH_PROVIDER_TOKEN: token };
  const server = spawn(
    binary,
    [
      'serve',
      `--data-dir=${join(folder, 'data')}`,
      `--http-addr=${addresses.http}`,
      `--mqtt-addr=${addresses.mqtt}`,
      `--admin-addr=${addresses.admin}`,
      `--mqtt-tls-addr=${addresses.mqttTls}`,
      `--tls-cert=${certFile}`,
      `--tls-key=${keyFile}`,
      '--default-tenant=orchard',
      '--sms=log',
      // The program that e2e/webhook.spec.ts has told listens on this machine.
      '--webhook-private=127.0.0.0/8',
      // Tests that come from an address of their own say so as a proxy does.
      '--trusted-proxies=127.0.0.1/32',
    ],
    { env: environment, stdio: ['ignore', 'ignore', log] },
  );
  closeSync(log);
  const ended = new Promise<void>((done) => server.once('exit', () => done()));
  await ready(() => server.exitCode === null, serverLog);
  apply(resolve(import.meta.dirname, 'farm.yaml'), environment);
  return {
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the server has logged so far; SMS are among it. */
export function serverLog(): string {
  return readFileSync(process.env.TILTH_E2E_LOG ?? '', 'utf8');
}

/** Applies a file through the command line, as a provider would. */
export function applyText(yaml: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-apply-'));
  const file = join(folder, 'change.yaml');
  writeFileSync(file, yaml);
  apply(file, { ...process.env, TILTH_PROVIDER_TOKEN: 'e2e-provider-token-0123456789abcdef' });
  rmSync(folder, { recursive: true });
}

function apply(file: string, env: NodeJS.ProcessEnv): void {
  const run = spawnSync(binary, ['apply', '-f', file, `--server=http://${addresses.admin}`], { env, encoding: 'utf8' });
  if (run.status !== 0) {
    throw new Error(`tilth apply: ${run.stdout}${run.stderr}`);
  }
}

async function ready(alive: () => boolean, log: () => string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline && alive()) {
    const answer = await fetch(`${addresses.console}/readyz`).catch(() => undefined);
    if (answer?.ok && alive()) {
      return;
    }
    await new Promise((again) => setTimeout(again, 50));
  }
  throw new Error(`the server did not become ready:\n${log()}`);
}
