/**
 * One browser for tests: channels between its tabs and locks that they share. Replaces what jsdom
 * lacks.
 */
export function fakeBrowser() {
  const channels = new Map<string, Set<FakeChannel>>();

  class FakeChannel {
    onmessage: ((message: { data: unknown }) => void) | null = null;
    readonly name: string;

    constructor(name: string) {
      this.name = name;
      channels.set(name, (channels.get(name) ?? new Set()).add(this));
    }

    postMessage(data: unknown) {
      for (const other of channels.get(this.name) ?? []) {
        if (other === this) continue;
        // As in a browser: a copy, delivered later.
        const copy = structuredClone(data);
        queueMicrotask(() => {
          if (channels.get(this.name)?.has(other)) other.onmessage?.({ data: copy });
        });
      }
    }

    close() {
      channels.get(this.name)?.delete(this);
    }
  }

  interface Waiting {
    grant: () => void;
    signal?: AbortSignal;
  }
  const held = new Map<string, { steal: () => void }>();
  const lines = new Map<string, Waiting[]>();

  function next(name: string) {
    const first = lines.get(name)?.shift();
    first?.grant();
  }

  const locks = {
    request: (name: string, options: LockOptions, work: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => {
        const grant = () => {
          const holder = {
            steal: () => {
              held.delete(name);
              reject(new DOMException('stolen', 'AbortError'));
            },
          };
          held.set(name, holder);
          work().then(() => {
            if (held.get(name) !== holder) return;
            held.delete(name);
            resolve();
            next(name);
          }, reject);
        };
        if (options.steal) {
          held.get(name)?.steal();
          grant();
          return;
        }
        if (!held.has(name)) {
          grant();
          return;
        }
        const waiting: Waiting = { grant, signal: options.signal };
        lines.set(name, [...(lines.get(name) ?? []), waiting]);
        options.signal?.addEventListener('abort', () => {
          lines.set(
            name,
            (lines.get(name) ?? []).filter((other) => other !== waiting),
          );
          reject(options.signal?.reason);
        });
      }),
  };
  return {
    BroadcastChannel: FakeChannel,
    locks,
    held: () => held.size,
    waiting: (name: string) => lines.get(name)?.length ?? 0,
  };
}
