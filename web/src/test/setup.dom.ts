import '@testing-library/jest-dom/vitest';
import { focusManager, onlineManager } from '@tanstack/react-query';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { forgetSent } from '@/lib/duplicates';
import { startI18n, useLanguage } from '@/lib/i18n';
import { useNotices } from '@/lib/notices';
import { forgetReach } from '@/lib/offline/reach';
import { defaultPreferences, usePreferences } from '@/lib/preferences';
import { forgetLine } from '@/lib/saver';
import { useSession } from '@/lib/session';
import { useTenant } from '@/lib/tenant';
import { holdNoon, releaseNoon } from './clock';
import { setWidth } from './screen';
import { server } from './server';
import './labels';
import './owners';
import './styles';

holdNoon();
configure({ asyncUtilTimeout: 20_000 });

// jsdom draws nothing and has no dialogs; these stand for what every browser has.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
  this.dispatchEvent(new Event('close'));
};
HTMLCanvasElement.prototype.getContext = () => null;
window.scrollTo = () => undefined;
class NoResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.ResizeObserver ??= NoResizeObserver;
/** Nothing is laid out: everything is in view, as is told a moment after one looks, unless one has stopped looking by then. */
class AllInView {
  private readonly tell: IntersectionObserverCallback;
  private looks = true;

  constructor(tell: IntersectionObserverCallback) {
    this.tell = tell;
  }

  observe(target: Element) {
    queueMicrotask(() => {
      if (this.looks) this.tell([{ target, isIntersecting: true } as IntersectionObserverEntry], this as never);
    });
  }

  unobserve() {}
  disconnect() {
    this.looks = false;
  }
}
window.IntersectionObserver ??= AllInView as never;

// Modules listen on the window for as long as it is there; those of the files before must hear nothing.
const listened: Parameters<typeof window.removeEventListener>[] = [];
const listen = window.addEventListener;
window.addEventListener = (...heard: Parameters<typeof listen>) => {
  listened.push(heard);
  listen.apply(window, heard);
};

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  await startI18n();
});

beforeEach(async () => {
  holdNoon();
  localStorage.clear();
  sessionStorage.clear();
  setWidth(1440);
  usePreferences.setState(defaultPreferences);
  // These are the library's, which files share.
  onlineManager.setOnline(true);
  focusManager.setFocused(undefined);
  forgetSent();
  forgetReach();
  forgetLine();
  useSession.setState({ session: null, ended: null });
  useTenant.setState({ tenant: null });
  useNotices.setState({ toasts: [], dialog: null });
  if (useLanguage.getState().language !== 'en-us') await useLanguage.getState().setLanguage('en-us');
  localStorage.clear();
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
});

afterAll(() => {
  server.close();
  releaseNoon();
  // The next file begins with an empty page.
  document.body.replaceChildren();
  for (const root of [document.documentElement, document.body])
    for (const name of root.getAttributeNames()) root.removeAttribute(name);
  history.replaceState(null, '', '/');
  window.addEventListener = listen;
  for (const heard of listened) window.removeEventListener(...heard);
});
