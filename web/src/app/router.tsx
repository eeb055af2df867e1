import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import type { ComingName } from '@/features/coming/ComingPage';
import { homeSearch } from '@/features/home/search';
import { useSession } from '@/lib/session';
import { Bare } from './Bare';
import { BrokenPage } from './BrokenPage';
import { ErrorDialog } from './ErrorDialog';
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
  beforeLoad: ({ search }) => {
    if (useSession.getState().session) throw redirect({ href: search.from ?? home, replace: true });
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

/** A page that is not built yet. */
function coming(name: ComingName) {
  return lazyRouteComponent(async () => {
    const { ComingPage } = await import('@/features/coming/ComingPage');
    return { default: () => <ComingPage name={name} /> };
  });
}

const pages = [
  createRoute({ getParentRoute: () => shell, path: '/data', component: coming('data') }),
  createRoute({ getParentRoute: () => shell, path: '/device', component: coming('device') }),
  createRoute({ getParentRoute: () => shell, path: '/alarm', component: coming('alarm') }),
  createRoute({ getParentRoute: () => shell, path: '/inform', component: coming('inform') }),
  createRoute({ getParentRoute: () => shell, path: '/notification', component: coming('channel') }),
  createRoute({ getParentRoute: () => shell, path: '/profile', component: coming('profile') }),
  createRoute({ getParentRoute: () => shell, path: '/message', component: coming('message') }),
  createRoute({ getParentRoute: () => shell, path: '/billing', component: coming('billing') }),
  createRoute({ getParentRoute: () => shell, path: '/rtl-page', component: coming('rtl') }),
] as const;

/** Pages that hide menu and bar. */
const bareSignedIn = createRoute({ getParentRoute: () => signedIn, id: 'bare', component: () => <Bare /> });
const virtualReality = createRoute({
  getParentRoute: () => bareSignedIn,
  path: '/virtual-reality',
  component: coming('virtualReality'),
});
const bareOpen = createRoute({ getParentRoute: () => root, id: 'bare', component: () => <Bare /> });
const signUp = createRoute({ getParentRoute: () => bareOpen, path: '/signup', component: coming('signup') });

const routeTree = root.addChildren([
  index,
  signIn,
  signedIn.addChildren([shell.addChildren([homePage, ...pages]), bareSignedIn.addChildren([virtualReality])]),
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
