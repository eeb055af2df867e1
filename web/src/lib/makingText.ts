import i18next from 'i18next';
import { errorText, formText } from './errorText';
import { isSilence } from './http';

/**
 * What stands in a form that makes something. Where no answer came it may have been made all the same, and a second try would make
 * it twice: whoever shows this fetches the list anew, too.
 */
export function makingText(error: unknown): string | undefined {
  return isSilence(error) ? i18next.t('common.perhapsSaved', { error: errorText(error) }) : formText(error);
}
