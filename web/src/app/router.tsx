import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { activitySearch } from '@/features/activity/search';
import { alarmSearch } from '@/features/alarm/search';
import { channelSearch } from '@/features/channel/search';
import { dataSearch } from '@/features/data/search';
import { deviceSearch } from '@/features/device/search';
import { homeSearch } from '@/features/home/search';
import { informSearch } from '@/features/inform/search';
import { messageSearch } from '@/features/message/search';
import { profileSearch } from '@/features/profile/search';
import { useSession } from '@/lib/session';
import { Bare } from './Bare';
import { BrokenPage } from './BrokenPage';
import { demoPagesOnly } from './demoPages';
import { ErrorDialog } from './ErrorDialog';
import { freshDocument } from './freshSignIn';
import { NotFoundPage } from './NotFoundPage';
import { home, returnAddress, signInSearch } from './returnAddress';
import { Toasts } from './Toasts';

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <Toasts />
      <ErrorDialog />
    </>
  ),
  notFoundComponent: NotFoundPage,
});

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: home, replace: true });
  },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: signInSearch,
  beforeLoad: ({ search, location }) => {
    if (useSession.getState().session) throw redirect({ href: search.from ?? home, replace: true });
    return freshDocument(location.href);
  },
  component: lazyRouteComponent(() => import('./SignInRoute'), 'SignInRoute'),
});

/** Everything below asks for a session and remembers where the person wanted to go. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (useSession.getState().session) return;
    throw redirect({ to: '/signin', search: { from: returnAddress(location.href) }, replace: true });
  },
});

const shell = createRoute({
  getParentRoute: () => signedIn,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/Shell'), 'Shell'),
});

const homePage = createRoute({
  getParentRoute: () => shell,
  path: home,
  validateSearch: homeSearch,
  component: lazyRouteComponent(() => import('@/features/home/HomePage'), 'HomePage'),
});

const pages = [
  createRoute({
    getParentRoute: () => shell,
    path: '/data',
    validateSearch: dataSearch,
    component: lazyRouteComponent(() => import('@/features/data/DataPage'), 'DataPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/device',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('@/features/device/DevicePage'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/alarm',
    validateSearch: alarmSearch,
    component: lazyRouteComponent(() => import('@/features/alarm/AlarmPage'), 'AlarmPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/inform',
    validateSearch: informSearch,
    component: lazyRouteComponent(() => import('@/features/inform/InformPage'), 'InformPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/notification',
    validateSearch: channelSearch,
    component: lazyRouteComponent(() => import('@/features/channel/ChannelPage'), 'ChannelPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/profile',
    validateSearch: profileSearch,
    component: lazyRouteComponent(() => import('@/features/profile/ProfilePage'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/profile/activity',
    validateSearch: activitySearch,
    component: lazyRouteComponent(() => import('@/features/activity/ActivityPage'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/message',
    validateSearch: messageSearch,
    component: lazyRouteComponent(() => import('@/features/message/MessagePage'), 'MessagePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/billing',
    beforeLoad: demoPagesOnly,
    component: lazyRouteComponent(() => import('@/features/demo-pages/billing/BillingPage'), 'BillingPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/rtl-page',
    beforeLoad: demoPagesOnly,
    component: lazyRouteComponent(() => import('@/features/demo-pages/rtl/RtlPage'), 'RtlPage'),
  }),
] as const;

/** A page that fills the window: no menu, no bar. */
const virtualReality = createRoute({
  getParentRoute: () => signedIn,
  path: '/virtual-reality',
  beforeLoad: demoPagesOnly,
  component: lazyRouteComponent(
    () => import('@/features/demo-pages/virtual-reality/VirtualRealityPage'),
    'VirtualRealityPage',
  ),
});
const bareOpen = createRoute({ getParentRoute: () => root, id: 'bare', component: () => <Bare /> });
const signUp = createRoute({
  getParentRoute: () => bareOpen,
  path: '/signup',
  beforeLoad: demoPagesOnly,
  component: lazyRouteComponent(() => import('@/features/demo-pages/signup/SignUpPage'), 'SignUpPage'),
});

const routeTree = root.addChildren([
  index,
  signIn,
  signedIn.addChildren([shell.addChildren([homePage, ...pages]), virtualReality]),
  bareOpen.addChildren([signUp]),
]);

export function createConsoleRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    history,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
