import type { TFunction } from 'i18next';
import { createErrorText } from '@/lib/http/createErrorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';

/** The server's refusal of a new key. */
export const refusalOf = (error: unknown, t: TFunction) =>
  fieldRefusal(createErrorText(error), {
    role: t('app.role'),
    scopes: t('app.scopes'),
    expiryTime: t('app.expiryTime'),
  });
