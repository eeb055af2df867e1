import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/errorText';
import { clearToasts, toast } from '@/lib/notices';
import { consoleSettingsQuery, tenantQuery } from '@/lib/queries';
import { signIn } from '@/lib/session';
import type { Tenant } from '@/lib/tenant';
import { rememberTermsRead } from './termsRead';

interface Credentials {
  userName: string;
  password: string;
  rememberMe: boolean;
}

class NoTenantError extends Error {}

/** Signs in to the tenant of this host, else to the installation's default one. */
export function useSignIn(onRefused: () => void): { signIn: (credentials: Credentials) => void; busy: boolean } {
  const { t } = useTranslation();
  const client = useQueryClient();

  const tenantName = async (): Promise<string> => {
    const tenant = await client.fetchQuery({ ...tenantQuery(), retry: false }).catch((): Tenant | null => null);
    if (tenant) return tenant.name;
    const settings = await client.fetchQuery({ ...consoleSettingsQuery(), retry: false });
    if (!settings.defaultTenant) throw new NoTenantError();
    return settings.defaultTenant;
  };

  const { mutate, isPending } = useMutation({
    mutationFn: async (credentials: Credentials) => signIn({ ...credentials, tenantName: await tenantName() }),
    meta: { showsErrors: true },
    onMutate: clearToasts,
    onSuccess: (_, { userName }) => rememberTermsRead(userName),
    onError: (error) => {
      toast.warning(t('signin.fail'), error instanceof NoTenantError ? t('signin.noTenant') : errorText(error));
      onRefused();
    },
  });
  return { signIn: mutate, busy: isPending };
}
