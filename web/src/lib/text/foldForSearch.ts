/** What a search compares: as the server folds titles and names (docs of internal/platform/text). */
export function foldForSearch(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[İIı]/g, 'i')
    .toLowerCase()
    .replace(/\u0307/g, '')
    .replace(/ё/g, 'е');
}
