import { notFound } from '@tanstack/react-router';
import { api } from '@/lib/api';
import { raiseError } from '@/lib/errorText';

/** Before a demo page: where the provider has switched them off, its address is an unknown one. */
export async function demoPagesOnly(): Promise<void> {
  const { demoPages } = await api.get('/admin-api/system/console/settings').catch((error: unknown) => {
    raiseError(error);
    throw error;
  });
  if (!demoPages) throw notFound();
}
