import i18next from 'i18next';
import { errorText } from './errorText';
import { isSilence } from './http';

/**
 * The sentence for a failed wish to make something. Where no answer came it may have been made all the same, and a second try would make
 * it twice: whoever shows this fetches the list anew, too.
 */
export function makingText(error: unknown): string {
  const text = errorText(error);
  return isSilence(error) ? i18next.t('common.perhapsSaved', { error: text }) : text;
}
