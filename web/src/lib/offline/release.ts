import { create } from 'zustand';

interface ReleaseState {
  /** A newer console than the one on this page is ready. */
  newer: boolean;
}

export const useRelease = create<ReleaseState>(() => ({ newer: false }));

/** After an hour somebody who comes back may find a newer server. */
const lookAgainMs = 3_600_000;
const address = '/sw.js';

/** The browser's own way of loading the page anew; tests put another here. */
export const ownPage = { reload: () => window.location.reload() };

let worker: Worker | null = null;

/** The worker that keeps the console's files, and what it has to say. One a page. */
class Worker {
  private readonly container: ServiceWorkerContainer;
  private readonly registration: ServiceWorkerRegistration;
  private lookedAt = Date.now();
  /** This page asked for the newer one to take over. */
  private asked = false;

  constructor(container: ServiceWorkerContainer, registration: ServiceWorkerRegistration) {
    this.container = container;
    this.registration = registration;
  }

  follow(): void {
    const { container, registration } = this;
    let controlled = container.controller !== null;
    container.addEventListener('controllerchange', () => {
      if (this.asked) ownPage.reload();
      else if (controlled) void this.weigh(container.controller);
      controlled = true;
    });
    const watch = (coming: ServiceWorker | null) =>
      coming?.addEventListener('statechange', () => {
        if (coming.state === 'installed' && container.controller) void this.weigh(coming);
      });
    registration.addEventListener('updatefound', () => watch(registration.installing));
    watch(registration.installing);
    if (registration.waiting) void this.weigh(registration.waiting);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && Date.now() - this.lookedAt > lookAgainMs) this.look();
    });
  }

  /** Asks the server whether there is a newer one. */
  look(): void {
    this.lookedAt = Date.now();
    // Without an answer there is none, and the next look comes by itself.
    this.registration.update().catch(() => undefined);
  }

  /** Another worker than the one that this page began with: of this page's build it takes over unseen, else the person is told. */
  private async weigh(other: ServiceWorker | null): Promise<void> {
    if (!other) return;
    if ((await buildOf(other)) !== ownBuild()) useRelease.setState({ newer: true });
    else if (other.state === 'installed') other.postMessage({ kind: 'take-over' });
  }

  takeOver(): void {
    const { waiting } = this.registration;
    // Another page let it take over already: there is only this page left to change.
    this.asked = true;
    if (waiting) waiting.postMessage({ kind: 'take-over' });
    else ownPage.reload();
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
function used(): string[] {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name, window.location.href));
  return loaded
    .filter(({ origin, pathname }) => origin === window.location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname);
}

/** Lets the worker keep the console for times without a network. Only on secure pages and on localhost is there such a thing. */
export async function keepConsole(): Promise<void> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!container || worker) return;
  try {
    const registration = (await container.register(address)) as ServiceWorkerRegistration | undefined;
    if (!registration) return;
    worker = new Worker(container, registration);
    worker.follow();
    (await container.ready).active?.postMessage({ kind: 'used', paths: used() });
  } catch {
    // A browser that forbids it has the console as before, with a network only.
  }
}

/** The line to the server is back: it may be another server now. */
export function lookForRelease(): void {
  worker?.look();
}

/** Loads the newer console: only ever by a person's wish, since something may be half filled in. */
export function loadRelease(): void {
  if (worker) worker.takeOver();
  else ownPage.reload();
}
