// These run in the page: they push addresses and tell when it has come to rest.

export interface Router {
  history: { push: (path: string, state?: object, options?: object) => void };
  options: { context: { client: { resetQueries: () => Promise<void> } } };
  state: { status: string; resolvedLocation?: { href: string } };
}

/** Counts, from a document's beginning, the calls that are under way, and keeps the strings of their answers. */
export function watchCalls(): void {
  const calls = { open: 0, answers: [] as string[] };
  const ask = window.fetch.bind(window);
  const gather = (value: unknown): void => {
    if (typeof value === 'string') calls.answers.push(...value.split('\n'));
    else if (typeof value === 'object' && value) for (const one of Object.values(value)) gather(one);
  };
  Object.assign(window, { layoutCalls: calls });
  window.fetch = async (...asked) => {
    const address = asked[0] instanceof Request ? asked[0].url : String(asked[0]);
    if (!/\/(admin|app)-api\//.test(address) || address.includes('/pc/live')) return ask(...asked);
    calls.open += 1;
    try {
      const answer = await ask(...asked);
      if (answer.headers.get('content-type')?.startsWith('application/json')) gather(await answer.clone().json());
      return answer;
    } finally {
      calls.open -= 1;
    }
  };
}

/** Resolves once nothing loads or moves and its texts, apart from ages, stay the same. */
export async function settled(): Promise<void> {
  const isMoving = ({ playState, effect }: Animation) =>
    playState === 'running' && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
  const comesOrGoes = ['appear', 'enter', 'leave'].map((way) => `[class*="-${way}"]:not(.ant-wave)`).join();
  const busy = `[aria-busy="true"], [class*="skeleton"], ${comesOrGoes}`;
  const { layoutCalls: calls, __TSR_ROUTER__: router } = window as unknown as {
    layoutCalls: { open: number };
    __TSR_ROUTER__?: Router;
  };
  const hinders = (): string[] => [
    ...(router?.state.status === 'idle' ? [] : ['the router']),
    ...(calls.open === 0 ? [] : [`${calls.open} calls`]),
    ...(document.querySelector('h1') ? [] : ['no heading']),
    ...[...document.querySelectorAll(busy)].map(({ outerHTML }) => outerHTML.slice(0, 120)),
    ...document
      .getAnimations()
      .filter(isMoving)
      .map(({ effect }) => `moves: ${(effect as KeyframeEffect).target?.outerHTML.slice(0, 120)}`),
  ];
  let before: string | undefined;
  for (let turn = 0; turn < 2000; turn += 1) {
    const text = hinders().length === 0 ? document.body.textContent.replace(/\d+/g, '') : undefined;
    if (text !== undefined && text === before) return;
    before = text;
    await new Promise((later) => setTimeout(later, 30));
  }
  throw new Error(`the page does not come to rest: ${hinders().join()}`);
}

/** Pushes an address as a link does, even if a form there is half filled. */
export function pushAddress(path: string): void {
  const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: Router };
  router.history.push(path, undefined, { ignoreBlocker: true });
}

/** Fetches anew what is shown, and forgets all else that was fetched. */
export async function forgetAnswers(): Promise<void> {
  const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: Router };
  await router.options.context.client.resetQueries();
}

/** The router has come to an address. */
export function arrived(path: string): boolean {
  const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: Router };
  return router.state.status === 'idle' && router.state.resolvedLocation?.href === path;
}

/** How many dialogs, menus, lists and tips are open. */
export function countOpen(): number {
  const above = '[role=dialog], [role=menu], [role=tooltip], .ant-select-dropdown';
  return [...document.querySelectorAll(above)].filter((element) => element.checkVisibility()).length;
}
