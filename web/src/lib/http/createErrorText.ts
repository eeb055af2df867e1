import i18next from 'i18next';
import { errorText, formErrorText } from './errorText';
import { isNoAnswer } from './http';

/**
 * What stands in a form that makes something. Where no answer came it may have been made all the same, and a second try would make
 * it twice: whoever shows this fetches the list anew, too.
 */
export function createErrorText(error: unknown): string | undefined {
  return isNoAnswer(error) ? i18next.t('common.perhapsSaved', { error: errorText(error) }) : formErrorText(error);
}
