import { create } from 'zustand';

interface ReleaseState {
  /** A newer console than the one on this page is ready. */
  newer: boolean;
}

export const useRelease = create<ReleaseState>(() => ({ newer: false }));

/** After an hour somebody who comes back may find a newer server. */
const checkIntervalMs = 3_600_000;
const address = '/sw.js';

/** The browser's own way of loading the page anew; tests put another here. */
export const pageReloader = { reload: () => window.location.reload() };

let follower: ServiceWorkerFollower | null = null;

/** The worker that keeps the console's files, and what it has to say. One a page. */
class ServiceWorkerFollower {
  private readonly container: ServiceWorkerContainer;
  private readonly registration: ServiceWorkerRegistration;
  private checkedAt = Date.now();
  /** This page asked for the newer one to take over. */
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

  /** Asks the server whether there is a newer one. */
  checkForUpdate(): void {
    this.checkedAt = Date.now();
    // Without an answer there is none, and the next look comes by itself.
    this.registration.update().catch(() => undefined);
  }

  /** Another worker than the one that this page began with: of this page's build it takes over unseen, else the person is told. */
  private async handleOtherWorker(other: ServiceWorker | null): Promise<void> {
    if (!other) return;
    if ((await buildOf(other)) !== ownBuild()) useRelease.setState({ newer: true });
    else if (other.state === 'installed') other.postMessage({ kind: 'take-over' });
  }

  takeOver(): void {
    const { waiting } = this.registration;
    // Another page let it take over already: there is only this page left to change.
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

/** What this page has loaded under hashed names so far. */
function loadedAssets(): string[] {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name, window.location.href));
  return loaded
    .filter(({ origin, pathname }) => origin === window.location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname);
}

/** Lets the worker keep the console for times without a network. Only on secure pages and on localhost is there such a thing. */
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
    // A browser that forbids it has the console as before, with a network only.
  }
}

/** The line to the server is back: it may be another server now. */
export function checkForRelease(): void {
  follower?.checkForUpdate();
}

/** Loads the newer console: only ever by a person's wish, since something may be half filled in. */
export function loadRelease(): void {
  if (follower) follower.takeOver();
  else pageReloader.reload();
}
