// Writes FILE.br and FILE.gz beside every text asset of dist over 1 kB, so that the server only has
// to choose. Deterministic: the same input gives the same bytes, whenever and wherever it is built.
// A cache holds packed files: brotli at its best level takes seconds for all of them, and most
// files are those of the previous build.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const cache = fileURLToPath(new URL('../node_modules/.cache/compress', import.meta.url));
const smallest = 1024;
// woff2 and pictures are compressed already.
const kinds = new Set(['.js', '.css', '.html', '.svg', '.json', '.txt', '.map', '.webmanifest']);

// Both run in worker threads, as many files at once as there are threads.
const pack = {
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gz: async (content) => {
    const packed = await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION });
    // The gzip header names the operating system; always write "unknown".
    packed[9] = 255;
    return packed;
  },
};

/** Part of the cache key: with other settings, or another library version, the result would differ. */
const settings = `${Object.values(pack).join()} ${process.versions.brotli} ${process.versions.zlib}`;
const used = new Set();

/** The packed content of a file, from the cache if it is there. */
async function packed(content, ending) {
  const name = `${createHash('sha256').update(settings).update(content).digest('hex')}.${ending}`;
  used.add(name);
  const kept = join(cache, name);
  try {
    return await readFile(kept);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const bytes = await pack[ending](content);
  // A stopped run leaves an incomplete file under another name.
  await writeFile(`${kept}.part`, bytes);
  await rename(`${kept}.part`, kept);
  return bytes;
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

mkdirSync(cache, { recursive: true });
// Files of an earlier run may belong to other contents.
for (const file of files(dist)) if (/\.(br|gz)$/.test(file)) rmSync(file);

const total = { plain: 0, br: 0, gz: 0, count: 0 };
await Promise.all(
  files(dist)
    .filter((file) => kinds.has(extname(file)))
    .map(async (file) => {
      const content = readFileSync(file);
      if (content.length <= smallest) return;
      for (const ending of Object.keys(pack)) {
        const bytes = await packed(content, ending);
        // A packed file larger than the original is useless.
        if (bytes.length < content.length) writeFileSync(`${file}.${ending}`, bytes);
        total[ending] += bytes.length;
      }
      total.plain += content.length;
      total.count += 1;
    }),
);
// Removes cache entries that no file of this build used.
for (const name of readdirSync(cache)) if (!used.has(name)) rmSync(join(cache, name));

const kB = (bytes) => (bytes / 1000).toFixed(1);
console.log(
  `${relative(process.cwd(), dist)}: ${total.count} files, ${kB(total.plain)} kB; brotli ${kB(total.br)} kB, gzip ${kB(total.gz)} kB`,
);
