import { create } from 'zustand';

interface ReleaseState {
  /** A newer console than the one on this page is ready. */
  newer: boolean;
}

export const useRelease = create<ReleaseState>(() => ({ newer: false }));

/** A user who comes back after an hour may find a newer server. */
const checkIntervalMs = 3_600_000;
const address = '/sw.js';

/** Reloads the page; tests replace it. */
export const pageReloader = { reload: () => window.location.reload() };

let follower: ServiceWorkerFollower | null = null;

/** Follows the service worker that caches the console's files. One per page. */
class ServiceWorkerFollower {
  private readonly container: ServiceWorkerContainer;
  private readonly registration: ServiceWorkerRegistration;
  private checkedAt = Date.now();
  /** This page asked the newer worker to take over. */
  private takeOverRequested = false;

  constructor(container: ServiceWorkerContainer, registration: ServiceWorkerRegistration) {
    this.container = container;
    this.registration = registration;
  }

  follow(): void {
    const { container, registration } = this;
    let wasControlled = container.controller !== null;
    container.addEventListener('controllerchange', () => {
      if (this.takeOverRequested) pageReloader.reload();
      else if (wasControlled) void this.handleOtherWorker(container.controller);
      wasControlled = true;
    });
    const watch = (newWorker: ServiceWorker | null) =>
      newWorker?.addEventListener('statechange', () => {
        if (newWorker.state === 'installed' && container.controller) void this.handleOtherWorker(newWorker);
      });
    registration.addEventListener('updatefound', () => watch(registration.installing));
    watch(registration.installing);
    if (registration.waiting) void this.handleOtherWorker(registration.waiting);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && Date.now() - this.checkedAt > checkIntervalMs) this.checkForUpdate();
    });
  }

  /** Asks the server whether there is a newer console. */
  checkForUpdate(): void {
    this.checkedAt = Date.now();
    // Without an answer nothing changes; the next check comes by itself.
    this.registration.update().catch(() => undefined);
  }

  /**
   * Handles a worker other than the one that this page began with: if it is of this page's build it
   * takes over silently, else the user is asked.
   */
  private async handleOtherWorker(other: ServiceWorker | null): Promise<void> {
    if (!other) return;
    if ((await buildOf(other)) !== ownBuild()) useRelease.setState({ newer: true });
    else if (other.state === 'installed') other.postMessage({ kind: 'take-over' });
  }

  takeOver(): void {
    const { waiting } = this.registration;
    // Another page let it take over already: only this page is left to reload.
    this.takeOverRequested = true;
    if (waiting) waiting.postMessage({ kind: 'take-over' });
    else pageReloader.reload();
  }
}

function ownBuild(): string | null {
  return document.querySelector('meta[name="tilth-build"]')?.getAttribute('content') ?? null;
}

function buildOf(other: ServiceWorker): Promise<unknown> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      port1.close();
      resolve(data);
    };
    other.postMessage({ kind: 'build' }, [port2]);
  });
}

/** The hashed files that this page has loaded so far. */
function loadedAssets(): string[] {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name, window.location.href));
  return loaded
    .filter(({ origin, pathname }) => origin === window.location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname);
}

/**
 * Registers the worker that caches the console for use without a network. Service workers exist
 * only on secure pages and on localhost.
 */
export async function registerServiceWorker(): Promise<void> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!container || follower) return;
  try {
    const registration = (await container.register(address)) as ServiceWorkerRegistration | undefined;
    if (!registration) return;
    follower = new ServiceWorkerFollower(container, registration);
    follower.follow();
    (await container.ready).active?.postMessage({ kind: 'used', paths: loadedAssets() });
  } catch {
    // If the browser forbids it, the console works with a network only.
  }
}

/** The connection to the server is back: it may be a newer server now. */
export function checkForRelease(): void {
  follower?.checkForUpdate();
}

/** Loads the newer console: only at the user's request, because a form may be half filled in. */
export function loadRelease(): void {
  if (follower) follower.takeOver();
  else pageReloader.reload();
}
