import { notFound } from '@tanstack/react-router';
import { api } from '@/lib/http/api';
import { showError } from '@/lib/http/errorText';

/** Runs before a demo page: where the provider has switched them off, its address is unknown. */
export async function requireDemoPages(): Promise<void> {
  const { demoPages } = await api.get('/admin-api/system/console/settings').catch((error: unknown) => {
    showError(error);
    throw error;
  });
  if (!demoPages) throw notFound();
}
