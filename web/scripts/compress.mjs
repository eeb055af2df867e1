// Writes FILE.br and FILE.gz beside every text asset of dist over 1 kB, so that the server only has to choose.
// Deterministic: the same input gives the same bytes, whenever and wherever it is built.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const smallest = 1024;
// woff2 and pictures are compressed already.
const kinds = new Set(['.js', '.css', '.html', '.svg', '.json', '.txt', '.map', '.webmanifest']);

function brotli(content) {
  return brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}

function gzip(content) {
  const packed = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
  // The header names the system that packed it; say "unknown" everywhere.
  packed[9] = 255;
  return packed;
}

function files(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? files(path) : [path];
    })
    .sort();
}

// What an earlier run left may belong to other contents.
for (const file of files(dist)) if (/\.(br|gz)$/.test(file)) rmSync(file);

const total = { plain: 0, br: 0, gz: 0, count: 0 };
for (const file of files(dist)) {
  if (!kinds.has(extname(file)) || statSync(file).size <= smallest) continue;
  const content = readFileSync(file);
  const packed = { br: brotli(content), gz: gzip(content) };
  for (const [ending, bytes] of Object.entries(packed)) {
    // Bigger than what it stands for helps nobody.
    if (bytes.length < content.length) writeFileSync(`${file}.${ending}`, bytes);
    total[ending] += bytes.length;
  }
  total.plain += content.length;
  total.count += 1;
}
const kB = (bytes) => (bytes / 1000).toFixed(1);
console.log(
  `${relative(process.cwd(), dist)}: ${total.count} files, ${kB(total.plain)} kB; brotli ${kB(total.br)} kB, gzip ${kB(total.gz)} kB`,
);
