import { createMemoryHistory, type RouterHistory, RouterProvider } from '@tanstack/react-router';
import { act, render } from '@testing-library/react';
import { afterEach } from 'vitest';
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
  const router = createConsoleRouter(history);
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
