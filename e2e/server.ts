import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeCertificate } from './certificate.ts';

/** The built binary; TILTH_E2E_BINARY names another one. */
const binary = process.env.TILTH_E2E_BINARY ?? resolve(import.meta.dirname, '../bin/tilth');

const environment = { ...process.env, TILTH_PROVIDER_TOKEN: 'e2e-provider-token-0123456789abcdef' };

/** A server of these tests: where it listens, and its files. */
type Place = {
  console: string;
  port: number;
  http: string;
  mqtt: string;
  admin: string;
  mqttTls: string;
  log: string;
  root: string;
};

// Each worker has a server of its own, which the runner has started (setup.ts). Its processes inherit where.
const placeOf = (worker: number) => `TILTH_E2E_SERVER_${worker}`;
const here = process.env[placeOf(Number(process.env.TEST_PARALLEL_INDEX ?? 0))];
const nowhere = { console: '', port: 0, http: '', mqtt: '', admin: '', mqttTls: '', log: '', root: '' };

/** Where this worker's server listens, its log, and the certificate that its TLS is signed with. In the runner, nowhere. */
export const addresses: Place = here ? (JSON.parse(here) as Place) : nowhere;

export type Server = { stop: () => Promise<void> };

/** Starts the built binary on an empty data folder for a worker and applies e2e/farm.yaml. */
export async function startServer(worker: number): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-e2e-'));
  const { certFile, keyFile } = makeCertificate(folder);
  const logFile = join(folder, 'server.log');
  const log = openSync(logFile, 'a');
  const server = spawn(
    binary,
    [
      'serve',
      `--data-dir=${join(folder, 'data')}`,
      '--http-addr=127.0.0.1:0',
      '--mqtt-addr=127.0.0.1:0',
      '--admin-addr=127.0.0.1:0',
      '--mqtt-tls-addr=127.0.0.1:0',
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
  const at = await ready(() => server.exitCode === null, logFile);
  const place: Place = {
    console: `http://${at.http}`,
    port: Number(at.http.split(':')[1]),
    ...at,
    log: logFile,
    root: certFile,
  };
  process.env[placeOf(worker)] = JSON.stringify(place);
  apply(resolve(import.meta.dirname, 'farm.yaml'), place);
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
  return readFileSync(addresses.log, 'utf8');
}

/** What a device needs to trust the server under test. */
export function root(): Buffer {
  return readFileSync(addresses.root);
}

/** Applies a file through the command line, as a provider would. */
export function applyText(yaml: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-apply-'));
  const file = join(folder, 'change.yaml');
  writeFileSync(file, yaml);
  apply(file, addresses);
  rmSync(folder, { recursive: true });
}

function apply(file: string, to: Place): void {
  const run = spawnSync(binary, ['apply', '-f', file, `--server=http://${to.admin}`], {
    env: environment,
    encoding: 'utf8',
  });
  if (run.status !== 0) {
    throw new Error(`tilth apply: ${run.stdout}${run.stderr}`);
  }
}

/** Waits until a server says that it is ready, and where. */
async function ready(
  alive: () => boolean,
  logFile: string,
): Promise<Pick<Place, 'http' | 'mqtt' | 'mqttTls' | 'admin'>> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && alive()) {
    const line = readFileSync(logFile, 'utf8').match(/^.*msg="tilth is ready".*$/m)?.[0];
    if (line) {
      const at = (name: string) => line.match(new RegExp(` ${name}=(\\S+)`))?.[1] ?? '';
      return { http: at('http'), mqtt: at('mqtt'), mqttTls: at('mqtt-tls'), admin: at('admin') };
    }
    await new Promise((again) => setTimeout(again, 50));
  }
  throw new Error(`the server did not become ready:\n${readFileSync(logFile, 'utf8')}`);
}
