import { loadTexts } from '@/lib/i18n/i18n';

/** Loads the code and the texts of the shell and the home page while the server checks the password. */
export function prefetchHome(): void {
  // A failure here is not reported: the code is fetched again when it is needed.
  Promise.all([import('./shell/Shell'), import('@/features/home/HomePage'), loadTexts('home')]).catch(() => undefined);
}
