import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Fragment, useDeferredValue, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { whenIdle } from '@/lib/async/whenIdle';
import { restoreLostFocus } from '@/lib/dom/restoreLostFocus';
import { useTenantZone } from '@/lib/format/zone';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { userQuery } from '@/lib/http/queries';
import { loadTexts } from '@/lib/i18n/i18n';
import { registerServiceWorker } from '@/lib/offline/release';
import { useTenantBranding } from '@/lib/tenant/useTenantBranding';
import { withAntd } from '@/ui/antd/withAntd';
import { lazyComponent } from '@/ui/lazyComponent';
import { PageTitleSlot } from '@/ui/PageTitle';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { ZoneNote } from '@/ui/ZoneNote';
import { useSearchKey } from '../search/useSearchKey';
import { BottomBar } from './BottomBar';
import css from './Shell.module.css';
import { Sidebar } from './Sidebar';
import { StatusBanner } from './StatusBanner';
import { TopBar } from './TopBar';
import { useLiveChanges } from './useLiveChanges';
import { useLiveCounts } from './useLiveCounts';

const MenuDrawer = lazyComponent(() => withAntd(() => import('./MenuDrawer'), 'MenuDrawer'), 'MenuDrawer');
const SearchDialog = lazyComponent(
  () => withAntd(() => import('../search/SearchDialog'), 'SearchDialog'),
  'SearchDialog',
);
const SettingsPanel = lazyComponent(() => withAntd(() => import('./SettingsPanel'), 'SettingsPanel'), 'SettingsPanel');

/**
 * Fetches the texts of the other pages, then registers the service worker, which keeps what the page
 * has fetched.
 */
function prepareLater(): void {
  // A failure is not reported: the page or dialog that needs them fetches them again.
  loadTexts('rest')
    .catch(() => undefined)
    .then(registerServiceWorker);
}

/** The frame around every page of a signed-in user. */
export function Shell() {
  const { t } = useTranslation();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [menuOpen, setMenuOpen] = useState(false);
  const [settingsOpen, setSettingsOpen] = useState(false);
  const [searchOpen, setSearchOpen] = useState(false);
  const menu = useWasTrue(menuOpen);
  const search = useWasTrue(searchOpen);
  const settings = useWasTrue(settingsOpen);
  const isPhone = useMediaQuery(phoneQuery);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useLiveCounts();
  useLiveChanges();
  useTenantBranding();
  useEffect(() => whenIdle(prepareLater), []);
  useEffect(restoreLostFocus, []);
  useSearchKey(() => setSearchOpen(true));

  // Closes the drawer when the page changes in any way, or when the window grows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: their changes close it
  useEffect(() => setMenuOpen(false), [path, isPhone]);

  return (
    <>
      <a className={css.skip} href="#content">
        {t('shell.skip')}
      </a>
      <div className={css.app}>
        <aside className={css.side}>
          <Sidebar />
        </aside>
        <div className={css.column}>
          <TopBar
            titleRef={setSlot}
            searchOpen={searchOpen}
            onSearch={() => setSearchOpen(true)}
            settingsOpen={settingsOpen}
            onSettings={() => setSettingsOpen(true)}
          />
          <main id="content" className={css.page} tabIndex={-1}>
            <StatusBanner />
            {isPhone ? (
              <div className={css.zone}>
                <ZoneNote />
              </div>
            ) : null}
            <PageTitleSlot value={slot}>
              <Page />
            </PageTitleSlot>
          </main>
        </div>
        {isPhone ? <BottomBar menuOpen={menuOpen} onMenu={() => setMenuOpen(true)} /> : null}
      </div>
      {menu ? <MenuDrawer open={menuOpen} onClose={() => setMenuOpen(false)} /> : null}
      {search ? <SearchDialog open={searchOpen} onClose={() => setSearchOpen(false)} /> : null}
      {settings ? <SettingsPanel open={settingsOpen} onClose={() => setSettingsOpen(false)} /> : null}
    </>
  );
}

/**
 * The page of the address. It waits for the tenant's time zone, once at the first sign-in:
 * displayed times and queries depend on it.
 */
function Page() {
  const zone = useTenantZone((state) => state.zone);
  const user = useQuery(userQuery());
  // After a failure the page tells it, and fetches again; it does not go away meanwhile.
  const waits = zone === undefined && user.isLoading && user.errorUpdateCount === 0;
  // The page is drawn piece by piece, however it begins.
  const hidden = useDeferredValue(waits, true);
  if (waits) return <PageSkeleton />;
  if (hidden) return null;
  return (
    <Fragment key={zone}>
      <Outlet />
    </Fragment>
  );
}

/** Bars that fade in where the answer is late, so that a quick one makes nothing flash. */
function PageSkeleton() {
  return (
    <Loading>
      <div className={css.skeleton}>
        <Skeleton height={76} radius={12} />
        <Skeleton height={380} radius={12} />
      </div>
    </Loading>
  );
}

/**
 * True from the first time on: the panel is fetched when it first opens, and then stays mounted so
 * that its closing is animated.
 */
function useWasTrue(now: boolean): boolean {
  const [ever, setEver] = useState(false);
  if (now && !ever) setEver(true);
  return ever || now;
}
