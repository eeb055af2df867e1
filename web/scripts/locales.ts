// The Vite plugin that splits each language's texts into the parts that the pages fetch.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { type TextPart, textsOfPart } from '../src/locales/parts.ts';

/** Answers `en-us.json?part=home` with the texts of that part. */
export function textParts(): Plugin {
  return {
    name: 'tilth:text-parts',
    load: {
      filter: { id: /\/src\/locales\/[\w-]+\.json\?part=\w+$/ },
      async handler(id) {
        const [path = '', part] = id.split('?part=');
        this.addWatchFile(path);
        const texts = textsOfPart(JSON.parse(await readFile(path, 'utf8')), part as TextPart);
        return { code: `export default ${JSON.stringify(texts)};`, moduleType: 'js' };
      },
    },
  };
}
