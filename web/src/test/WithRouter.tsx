import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { createConsoleRouter } from '@/app/router';
import { testClient } from './renderWithProviders';

/** The console's addresses, for a part of a page with links. */
export function WithRouter({ children }: { children: ReactNode }) {
  const [router] = useState(() =>
    createConsoleRouter(testClient(), createMemoryHistory({ initialEntries: ['/data'] })),
  );
  return <RouterContextProvider router={router}>{children}</RouterContextProvider>;
}
