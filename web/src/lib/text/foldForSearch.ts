/**
 * Folds a text for comparison in a search, like the server does for titles and names (package docs
 * of internal/text).
 */
export function foldForSearch(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[İIı]/g, 'i')
    .toLowerCase()
    .replace(/\u0307/g, '')
    .replace(/ё/g, 'е');
}
