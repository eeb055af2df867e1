import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** A worker that reports its build and records the messages that it receives. */
class FakeWorker extends EventTarget {
  readonly told: { kind: string }[] = [];
  state: ServiceWorkerState;
  private readonly build: string;

  constructor(build: string, state: ServiceWorkerState = 'installed') {
    super();
    this.build = build;
    this.state = state;
  }

  postMessage(message: { kind: string }, ports?: MessagePort[]) {
    this.told.push(message);
    if (message.kind === 'build') ports?.[0]?.postMessage(this.build);
  }

  become(state: ServiceWorkerState) {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
  }
}

class FakeRegistration extends EventTarget {
  installing: FakeWorker | null = null;
  waiting: FakeWorker | null = null;
  update = vi.fn(async () => undefined);

  /** Another worker has been found and installed. */
  finds(worker: FakeWorker) {
    this.installing = worker;
    this.dispatchEvent(new Event('updatefound'));
    this.installing = null;
    this.waiting = worker;
    worker.become('installed');
  }
}

class FakeContainer extends EventTarget {
  controller: FakeWorker | null;
  registration = new FakeRegistration();
  register = vi.fn(async (): Promise<FakeRegistration | undefined> => this.registration);
  ready: Promise<{ active: FakeWorker | null }>;

  constructor(active: FakeWorker | null, controls = true) {
    super();
    this.controller = controls ? active : null;
    this.ready = Promise.resolve({ active });
  }

  takes(worker: FakeWorker) {
    this.controller = worker;
    this.dispatchEvent(new Event('controllerchange'));
  }
}

let meta: HTMLMetaElement;
beforeEach(() => {
  vi.resetModules();
  meta = document.createElement('meta');
  meta.name = 'tilth-build';
  meta.content = 'this';
  document.head.append(meta);
});
afterEach(() => {
  meta.remove();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

async function open(container: FakeContainer | undefined) {
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true });
  const release = await import('./release');
  const reload = vi.spyOn(release.pageReloader, 'reload').mockImplementation(() => undefined);
  await release.registerServiceWorker();
  return { ...release, reload, newer: () => release.useRelease.getState().newer };
}

describe('the worker', () => {
  it('caches what the page had loaded before it', async () => {
    const list = [
      `${location.origin}/assets/a-12345678.js`,
      `${location.origin}/admin-api/x`,
      'https://tiles.test/assets/t.png',
    ];
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue(list.map((name) => ({ name })) as never);
    const active = new FakeWorker('this', 'activated');
    await open(new FakeContainer(active, false));
    expect(active.told).toEqual([{ kind: 'used', paths: ['/assets/a-12345678.js'] }]);
  });

  it('that controls a page for the first time is not announced', async () => {
    const active = new FakeWorker('this', 'activated');
    const container = new FakeContainer(active, false);
    const { newer, reload } = await open(container);
    container.takes(active);
    await Promise.resolve();
    expect(newer()).toBe(false);
    expect(reload).not.toHaveBeenCalled();
  });

  it('is not used on insecure pages, or if the browser refuses it', async () => {
    expect((await open(undefined)).newer()).toBe(false);
    vi.resetModules();
    const refusing = new FakeContainer(null);
    refusing.register.mockRejectedValue(new DOMException('no', 'SecurityError'));
    const { loadRelease, reload } = await open(refusing);
    loadRelease();
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe('a newer console', () => {
  it('is announced, and loaded only when the user agrees', async () => {
    const container = new FakeContainer(new FakeWorker('this', 'activated'));
    const { newer, reload, loadRelease } = await open(container);
    const other = new FakeWorker('other', 'installing');
    container.registration.finds(other);
    await expect.poll(newer).toBe(true);
    expect(other.told.map(({ kind }) => kind)).toEqual(['build']);
    expect(reload).not.toHaveBeenCalled();
    loadRelease();
    expect(other.told.at(-1)).toEqual({ kind: 'take-over' });
    container.takes(other);
    expect(reload).toHaveBeenCalledOnce();
  });

  it('that was waiting already is announced', async () => {
    const container = new FakeContainer(new FakeWorker('this', 'activated'));
    container.registration.waiting = new FakeWorker('other');
    const { newer } = await open(container);
    await expect.poll(newer).toBe(true);
  });

  it('of the page’s own build takes over silently', async () => {
    const container = new FakeContainer(new FakeWorker('before', 'activated'));
    const { newer, reload } = await open(container);
    const own = new FakeWorker('this', 'installing');
    container.registration.finds(own);
    await expect.poll(() => own.told.at(-1)?.kind).toBe('take-over');
    container.takes(own);
    expect(newer()).toBe(false);
    expect(reload).not.toHaveBeenCalled();
  });

  it('that another tab activated is announced here, and this page stays until the user agrees', async () => {
    const container = new FakeContainer(new FakeWorker('this', 'activated'));
    const { newer, reload, loadRelease } = await open(container);
    container.takes(new FakeWorker('other', 'activated'));
    await expect.poll(newer).toBe(true);
    expect(reload).not.toHaveBeenCalled();
    loadRelease();
    expect(reload).toHaveBeenCalledOnce();
  });

  it('is checked for when the connection is back', async () => {
    const container = new FakeContainer(new FakeWorker('this', 'activated'));
    const { checkForRelease: lookForRelease } = await open(container);
    lookForRelease();
    expect(container.registration.update).toHaveBeenCalledOnce();
  });
});
