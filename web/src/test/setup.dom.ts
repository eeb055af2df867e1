import '@testing-library/jest-dom/vitest';
import { focusManager, onlineManager } from '@tanstack/react-query';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { resetSentRequests } from '@/lib/http/duplicates';
import { loadTexts, startI18n, useLanguage } from '@/lib/i18n/i18n';
import { resetReachability } from '@/lib/offline/reachability';
import { useSession } from '@/lib/session/session';
import { resetConnectionWatch } from '@/lib/storage/dataSaver';
import { defaultPreferences, usePreferences } from '@/lib/storage/preferences';
import { useTenant } from '@/lib/tenant/tenant';
import { freezeClock, restoreClock } from './clock';
import { setWidth } from './mediaQueries';
import { server } from './server';
import './labels';
import './noOwnerStacks';
import './styles';

freezeClock();
configure({ asyncUtilTimeout: 20_000 });

// jsdom draws nothing and has no dialogs; these replace what every browser has.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
  this.dispatchEvent(new Event('close'));
};
HTMLCanvasElement.prototype.getContext = () => null;
window.scrollTo = () => undefined;
class FakeResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.ResizeObserver ??= FakeResizeObserver;
/**
 * jsdom has no layout: every observed element counts as in view; the observer reports it a moment
 * later, unless it is disconnected by then.
 */
class AlwaysIntersecting {
  private readonly callback: IntersectionObserverCallback;
  private observing = true;

  constructor(tell: IntersectionObserverCallback) {
    this.callback = tell;
  }

  observe(target: Element) {
    queueMicrotask(() => {
      if (this.observing) this.callback([{ target, isIntersecting: true } as IntersectionObserverEntry], this as never);
    });
  }

  unobserve() {}
  disconnect() {
    this.observing = false;
  }
}
window.IntersectionObserver ??= AlwaysIntersecting as never;

// Modules listen on the window for its lifetime; the listeners of earlier files must not receive
// events.
const windowListeners: Parameters<typeof window.removeEventListener>[] = [];
const addWindowListener = window.addEventListener;
window.addEventListener = (...heard: Parameters<typeof addWindowListener>) => {
  windowListeners.push(heard);
  addWindowListener.apply(window, heard);
};

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  await startI18n();
  await loadTexts('home');
  await loadTexts('rest');
});

beforeEach(async () => {
  freezeClock();
  localStorage.clear();
  sessionStorage.clear();
  setWidth(1440);
  usePreferences.setState(defaultPreferences);
  // These belong to the library, which files share.
  onlineManager.setOnline(true);
  focusManager.setFocused(undefined);
  resetSentRequests();
  resetReachability();
  resetConnectionWatch();
  useSession.setState({ session: null, ended: null });
  useTenant.setState({ tenant: null });
  useFeedback.setState({ toasts: [], dialog: null });
  if (useLanguage.getState().language !== 'en-us') await useLanguage.getState().setLanguage('en-us');
  localStorage.clear();
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
});

afterAll(() => {
  server.close();
  restoreClock();
  // The next file starts with an empty page.
  document.body.replaceChildren();
  for (const root of [document.documentElement, document.body])
    for (const name of root.getAttributeNames()) root.removeAttribute(name);
  history.replaceState(null, '', '/');
  window.addEventListener = addWindowListener;
  for (const heard of windowListeners) window.removeEventListener(...heard);
});
