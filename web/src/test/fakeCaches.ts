/** A browser's Cache Storage and the server behind it, in memory. Replaces what jsdom lacks. */
export function fakeCaches(origin: string) {
  const stores = new Map<string, Map<string, Response>>();
  const fetched: string[] = [];
  const files = new Map<string, () => Promise<Response>>();
  const address = (request: Request | string) =>
    new URL(typeof request === 'string' ? request : request.url, origin).href;

  async function fetch(request: Request | string): Promise<Response> {
    const { pathname } = new URL(address(request));
    fetched.push(pathname);
    const answer = files.get(pathname);
    return answer ? answer() : new Response('no such file', { status: 404 });
  }

  function cache(name: string) {
    const store = stores.get(name) ?? new Map<string, Response>();
    stores.set(name, store);
    const addAll = async (requests: (Request | string)[]) => {
      const answers = await Promise.all(requests.map(fetch));
      // All or nothing, as in a browser.
      if (answers.some(({ ok }) => !ok)) throw new TypeError('a request failed');
      requests.forEach((request, i) => void store.set(address(request), answers[i] as Response));
    };
    return {
      match: async (request: Request | string) => store.get(address(request))?.clone(),
      put: async (request: Request | string, answer: Response) => void store.set(address(request), answer),
      keys: async () => [...store.keys()].map((url) => ({ url })),
      delete: async ({ url }: { url: string }) => store.delete(url),
      add: (request: Request | string) => addAll([request]),
      addAll,
    };
  }

  return {
    caches: {
      open: async (name: string) => cache(name),
      keys: async () => [...stores.keys()],
      delete: async (name: string) => stores.delete(name),
    },
    fetch,
    fetched,
    /** Sets the server's answer; null: no answer. */
    serve: (pathname: string, body: string | null) =>
      files.set(pathname, async () => {
        if (body === null) throw new TypeError('no network');
        return new Response(body);
      }),
    /** An answer that waits until the test releases it. */
    hold: (pathname: string, body: string) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      files.set(pathname, async () => {
        await held;
        return new Response(body);
      });
      return () => release();
    },
    /** The paths that a cache holds. */
    held: (name: string) => [...(stores.get(name)?.keys() ?? [])].map((url) => new URL(url).pathname).sort(),
  };
}
