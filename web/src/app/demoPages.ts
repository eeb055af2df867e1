import { notFound } from '@tanstack/react-router';
import { api } from '@/lib/http/api';
import { showError } from '@/lib/http/errorText';

/**
 * Runs before a demo page. If the provider has switched demo pages off (`--demo-pages=false`), the
 * page answers like an unknown address. If that cannot be found out, the error is shown and thrown
 * on, so that the router does not open the page.
 */
export async function requireDemoPages(): Promise<void> {
  const { demoPages } = await api.get('/admin-api/system/console/settings').catch((error: unknown) => {
    showError(error);
    throw error;
  });
  if (!demoPages) throw notFound();
}
