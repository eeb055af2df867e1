/** The build's own data, which the build writes into the worker. */
export interface Files {
  /** Identifies this build: it changes with any file. */
  build: string;
  /** The files that the home page, the data centre and the sign-in page need, without any language. */
  shell: readonly string[];
  /** The build's files beside the page, whose names have no hash. */
  beside: readonly string[];
  /** Every file under a hashed name. */
  all: readonly string[];
}

export const assetsCache = 'tilth-assets';
const pagePrefix = 'tilth-page-';
export const pageCache = ({ build }: Files) => `${pagePrefix}${build}`;
export const isOtherPage = (name: string, files: Files) => name.startsWith(pagePrefix) && name !== pageCache(files);

/** `/assets/en-us-Bx81hQz_.js` without its hash. */
const withoutHash = (path: string) => path.replace(/-[\w-]{8}(\.\w+)$/, '$1');
const isLanguage = (path: string) => /^\/assets\/[a-z]{2}-[a-z]{2}-[\w-]{8}\.js$/.test(path);

/**
 * The language files of this build that correspond to those used of an earlier one: without its
 * texts the console cannot start.
 */
export function languagesLike(used: readonly string[], { all }: Files): string[] {
  const stems = new Set(used.filter(isLanguage).map(withoutHash));
  return all.filter((path) => isLanguage(path) && stems.has(withoutHash(path)));
}
