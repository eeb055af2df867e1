import 'i18next';
import type texts from '@/locales/en-us.json';

declare module 'i18next' {
  // Makes an unknown key a compile error. The English file is the list of keys; a test compares the
  // others with it.
  interface CustomTypeOptions {
    resources: { translation: typeof texts };
    returnNull: false;
  }
}
