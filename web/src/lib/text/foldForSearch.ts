<<<<<<< HEAD
/** What a search compares: as the server folds titles and names (docs of internal/platform/text). */
=======
/**
 * Folds a text for comparison in a search, like the server does for titles and names (package docs
 * of internal/text).
 */
>>>>>>> h-w1
export function foldForSearch(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[İIı]/g, 'i')
    .toLowerCase()
    .replace(/\u0307/g, '')
    .replace(/ё/g, 'е');
}
