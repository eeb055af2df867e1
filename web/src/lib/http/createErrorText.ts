import i18next from 'i18next';
import { errorText, formErrorText } from './errorText';
import { isNoAnswer } from './http';

/**
 * The error text of a form that creates something. If no answer came, the thing may exist all the
 * same, and a second attempt would create a duplicate: the caller refetches the list, too.
 */
export function createErrorText(error: unknown): string | undefined {
  return isNoAnswer(error) ? i18next.t('common.perhapsSaved', { error: errorText(error) }) : formErrorText(error);
}
