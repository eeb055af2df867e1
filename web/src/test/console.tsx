import type { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory, type RouterHistory, RouterProvider } from '@tanstack/react-router';
import { act, render, waitFor } from '@testing-library/react';
import { afterEach, expect } from 'vitest';
import { followLanguage, followSession } from '@/app/followSession';
import { Providers } from '@/app/Providers';
import { createConsoleRouter } from '@/app/router';
import { testClient } from './renderWithProviders';
import { WithoutAntdStyles } from './WithoutAntdStyles';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Opens the console at an address, as main.tsx does. */
export async function openConsole(
  address: string,
  history: RouterHistory = createMemoryHistory({ initialEntries: [address] }),
) {
  const client = testClient();
  const router = createConsoleRouter(client, history);
  stops.push(followSession(router, client), followLanguage(client));
  await act(() => router.load());
  const drawn = render(
    <Providers client={client}>
      <WithoutAntdStyles>
        <RouterProvider router={router} />
      </WithoutAntdStyles>
    </Providers>,
  );
  return { client, router, ...drawn };
}

/** Waits until nothing is fetched any more. What an answer shows may ask for more, so it looks several times. */
export async function untilFetched(client: QueryClient): Promise<void> {
  let quiet = 0;
  await waitFor(
    () => {
      quiet = client.isFetching() === 0 ? quiet + 1 : 0;
      expect(quiet).toBeGreaterThan(3);
    },
    { interval: 10 },
  );
}
