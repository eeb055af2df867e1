import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { activitySearch } from '@/features/activity/search';
import { alarmSearch } from '@/features/alarm/search';
import { analysisSearch } from '@/features/analysis/search';
import { channelSearch } from '@/features/channel/search';
import { dataSearch } from '@/features/data/search';
import { keepPendingCode } from '@/features/device/add/pendingCode';
import { deviceSearch } from '@/features/device/search';
import { homeQueries } from '@/features/home/queries';
import { homeSearch } from '@/features/home/search';
import { messageSearch } from '@/features/message/search';
import { noticesSearch } from '@/features/notices/search';
import { profileSearch } from '@/features/profile/search';
import { readAnswer } from '@/features/signin/signOnAnswer';
import { userQuery } from '@/lib/http/queries';
import { currentLanguage, loadTexts } from '@/lib/i18n/i18n';
import { useSession } from '@/lib/session/session';
import type { TextPart } from '@/locales/parts';
import { withAntd } from '@/ui/antd/withAntd';
import { BareLayout } from './BareLayout';
import { BrokenPage } from './BrokenPage';
import { requireDemoPages } from './demoPages';
import { ErrorDialog } from './ErrorDialog';
import { fetchAhead } from './fetchAhead';
import { ensureFreshDocument } from './freshDocument';
import { NotFound } from './NotFound';
import { homePath, returnAddress, signInSearch } from './returnAddress';
import { Toasts } from './Toasts';

/** What the routes fetch with, while their code is still being fetched. */
interface RouterContext {
  client: QueryClient;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: () => (
    <>
      <Outlet />
      <Toasts />
      <ErrorDialog />
    </>
  ),
  notFoundComponent: NotFound,
});

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: homePath, replace: true });
  },
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signin',
  validateSearch: signInSearch,
  beforeLoad: ({ search, location }) => {
    // An answer of the farm's own sign-in is taken at once, whoever is signed in: it may link an
    // account. It comes with a fresh document.
    if (readAnswer(location.hash)) return;
    if (useSession.getState().session) throw redirect({ href: search.from ?? homePath, replace: true });
    return ensureFreshDocument(location.href);
  },
  component: lazyRouteComponent(() => import('./SignInRoute'), 'SignInRoute'),
});

/** Without a session, and beside one: an invited person may use a browser of somebody else. */
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: withTexts('rest', () => import('./InvitationRoute'), 'InvitationRoute'),
});

/** The address of a label's QR code: the code waits in this tab, and the dialog that takes it opens. */
const claimRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/claim',
  beforeLoad: ({ location }) => {
    if (location.hash) keepPendingCode(location.hash);
    throw redirect({ to: '/device', search: { add: 'code' }, replace: true });
  },
});

/** All child routes require a session and remember where the user wanted to go. */
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (useSession.getState().session) return;
    throw redirect({ to: '/signin', search: { from: returnAddress(location.href) }, replace: true });
  },
});

/** A component that shows texts of a part. */
function withTexts<Name extends string>(part: TextPart, code: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazyRouteComponent(async () => {
    const [module] = await Promise.all([code(), loadTexts(part)]);
    return module;
  }, name);
}

const shellRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: 'shell',
  loader: ({ context }) => fetchAhead(context.client, [userQuery()]),
  shouldReload: false,
  component: withTexts('home', () => import('./shell/Shell'), 'Shell'),
});

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: homePath,
  validateSearch: homeSearch,
  loader: ({ context }) => fetchAhead(context.client, homeQueries(currentLanguage())),
  shouldReload: false,
  component: withTexts('home', () => import('@/features/home/HomePage'), 'HomePage'),
});

/** A page that uses antd, which the home page does without. */
function antdPage<Name extends string>(page: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazyRouteComponent(() => withAntd(page, name), name);
}

const pageRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/data',
    validateSearch: dataSearch,
    component: antdPage(() => import('@/features/data/DataPage'), 'DataPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/analysis',
    validateSearch: analysisSearch,
    component: antdPage(() => import('@/features/analysis/AnalysisPage'), 'AnalysisPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/device',
    validateSearch: deviceSearch,
    component: antdPage(() => import('@/features/device/DevicePage'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/alarm',
    validateSearch: alarmSearch,
    component: antdPage(() => import('@/features/alarm/AlarmPage'), 'AlarmPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/inform',
    validateSearch: noticesSearch,
    component: antdPage(() => import('@/features/notices/NoticesPage'), 'NoticesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/notification',
    validateSearch: channelSearch,
    component: antdPage(() => import('@/features/channel/ChannelPage'), 'ChannelPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/profile',
    validateSearch: profileSearch,
    component: antdPage(() => import('@/features/profile/ProfilePage'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/profile/activity',
    validateSearch: activitySearch,
    component: antdPage(() => import('@/features/activity/ActivityPage'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/message',
    validateSearch: messageSearch,
    component: antdPage(() => import('@/features/message/MessagePage'), 'MessagePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/billing',
    beforeLoad: requireDemoPages,
    component: antdPage(() => import('@/features/demo-pages/billing/BillingPage'), 'BillingPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/rtl-page',
    beforeLoad: requireDemoPages,
    component: antdPage(() => import('@/features/demo-pages/rtl/RtlPage'), 'RtlPage'),
  }),
] as const;

/** A page that fills the window: no menu, no bar. */
const virtualRealityRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/virtual-reality',
  beforeLoad: requireDemoPages,
  component: withTexts(
    'rest',
    () => import('@/features/demo-pages/virtual-reality/VirtualRealityPage'),
    'VirtualRealityPage',
  ),
});
const publicRoute = createRoute({ getParentRoute: () => rootRoute, id: 'bare', component: () => <BareLayout /> });
const signUpRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/signup',
  beforeLoad: requireDemoPages,
  component: withTexts('rest', () => import('@/features/demo-pages/signup/SignUpPage'), 'SignUpPage'),
});

const routeTree = rootRoute.addChildren([
  indexRoute,
  signInRoute,
  invitationRoute,
  claimRoute,
  signedInRoute.addChildren([shellRoute.addChildren([homeRoute, ...pageRoutes]), virtualRealityRoute]),
  publicRoute.addChildren([signUpRoute]),
]);

export function createConsoleRouter(client: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { client },
    history,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
