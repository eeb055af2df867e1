/** What the build tells the worker of itself; written into it when it is built. */
export interface Files {
  /** Names this build: other files, another name. */
  build: string;
  /** What home page, data centre and sign-in need, but no language. */
  shell: readonly string[];
  /** What stands beside the page under names without a hash; belongs to the build. */
  beside: readonly string[];
  /** Every file under a hashed name. */
  all: readonly string[];
}

export const assetsCache = 'tilth-assets';
const pagePrefix = 'tilth-page-';
export const pageCache = ({ build }: Files) => `${pagePrefix}${build}`;
export const isOtherPage = (name: string, files: Files) => name.startsWith(pagePrefix) && name !== pageCache(files);

/** `/assets/tr-tr-Bx81hQz_.js` without its hash. */
const withoutHash = (path: string) => path.replace(/-[\w-]{8}(\.\w+)$/, '$1');
const isLanguage = (path: string) => /^\/assets\/[a-z]{2}-[a-z]{2}-[\w-]{8}\.js$/.test(path);

/** The language files of this build for those that were used of an earlier one: without its texts the console cannot start. */
export function languagesLike(used: readonly string[], { all }: Files): string[] {
  const stems = new Set(used.filter(isLanguage).map(withoutHash));
  return all.filter((path) => isLanguage(path) && stems.has(withoutHash(path)));
}
