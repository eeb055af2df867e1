import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createQueryClient } from '@/lib/http/queryClient';
import { WithoutAntdStyles } from './WithoutAntdStyles';

/** A client as in the app, without waits between attempts. */
export function testClient() {
  const client = createQueryClient();
  const { queries, ...rest } = client.getDefaultOptions();
  client.setDefaultOptions({ ...rest, queries: { ...queries, retry: false, gcTime: Number.POSITIVE_INFINITY } });
  return client;
}

/** Renders a part of a page with the providers of every page. */
export function renderWithProviders(part: ReactNode, client = testClient()) {
  const drawn = render(
    <QueryClientProvider client={client}>
      <WithoutAntdStyles>{part}</WithoutAntdStyles>
    </QueryClientProvider>,
  );
  return { client, ...drawn };
}
