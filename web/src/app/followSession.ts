import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { clearToasts, closeDialog, toast } from '@/lib/feedback/feedback';
import { setTenantZone } from '@/lib/format/zone';
import { useLanguage } from '@/lib/i18n/i18n';
import { onRenewedAfterRefusal, useSession } from '@/lib/session/session';
import { clearFreshDocumentMark } from './freshDocument';
import { isPublicPage, returnAddress } from './returnAddress';
import type { ConsoleRouter } from './router';

/** Navigates to the pages that the session allows. Returns a function that stops it. */
export function followSession(router: ConsoleRouter, client: QueryClient): () => void {
  const stopRenewed = onRenewedAfterRefusal(() => {
    if (isPublicPage(router.state.location.pathname)) return;
    const returnTo = returnAddress(router.state.location.href);
    void router.navigate({ to: '/', replace: true });
    if (!returnTo) return;
    toast.info(i18next.t('signin.renewed'), i18next.t('signin.renewedText'), {
      label: i18next.t('signin.renewedBack'),
      act: () => router.history.push(returnTo),
    });
  });
  // One user's data must not be shown to the next, even if the second signs in before a page could
  // change, as another tab may do.
  let shownUser = useSession.getState().session?.userId;
  const stopSession = useSession.subscribe(({ session, ended }, before) => {
    if (session && !before.session) clearFreshDocumentMark();
    if (before.session && session?.userId !== before.session.userId) {
      clearToasts();
      closeDialog();
    }
    if (session && session.userId !== shownUser) {
      if (shownUser !== undefined) {
        setTenantZone(undefined);
        client.removeQueries({ type: 'inactive' });
        void client.resetQueries({ type: 'active' });
      }
      shownUser = session.userId;
    }
    // Clears the data only after the pages that show it are gone: they would refetch it without a
    // session.
    if (!session && before.session) {
      void toSignIn(router, ended === 'lost').then(() => {
        if (useSession.getState().session) return;
        setTenantZone(undefined);
        client.removeQueries({ type: 'inactive' });
      });
    }
  });
  return () => {
    stopRenewed();
    stopSession();
  };
}

async function toSignIn(router: ConsoleRouter, lost: boolean): Promise<void> {
  const location = router.state.location;
  if (isPublicPage(location.pathname)) return;
  const search = lost ? { from: returnAddress(location.href), ended: true } : {};
  await router.navigate({ to: '/signin', search, replace: true });
}

/**
 * The server names things in the caller's language: after the user has chosen another, the answers
 * are refetched.
 */
export function followLanguage(client: QueryClient): () => void {
  return useLanguage.subscribe(({ language }, before) => {
    if (language !== before.language) void client.invalidateQueries();
  });
}
