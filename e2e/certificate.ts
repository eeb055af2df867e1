import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Certificate = { certFile: string; keyFile: string };

/** A certificate for 127.0.0.1 that is its own root, good for a day. */
export function makeCertificate(folder: string): Certificate {
  const made = { certFile: join(folder, 'tls.pem'), keyFile: join(folder, 'tls.key') };
  const run = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', made.keyFile, '-out', made.certFile],
    ],
    { encoding: 'utf8' },
  );
  if (run.status !== 0) {
    throw new Error(`openssl: ${run.error?.message ?? run.stderr}`);
  }
  return made;
}

/** What a device needs to trust the server under test. */
export function root(): Buffer {
  const file = process.env.TILTH_E2E_ROOT;
  if (!file) {
    throw new Error('the server under test has no certificate');
  }
  return readFileSync(file);
}
