import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clearToasts, toast } from '@/lib/feedback/feedback';
import { asksForStep, type ErrorMeta, showError } from '@/lib/http/errorText';
import { ApiError } from '@/lib/http/http';
import { consoleSettingsQuery, defaultTenantQuery, tenantQuery } from '@/lib/http/queries';
import { signIn } from '@/lib/session/signIn';
import type { Tenant } from '@/lib/tenant/tenant';
import { loadCaptchaPanel } from './captcha/load';
import { loadCodeStep, loadEnrolStep } from './loadSteps';
import { type SecondStep, secondStepOf, secondSteps } from './secondStep';
import { rememberTermsRead } from './termsRead';

export interface Credentials {
  userName: string;
  password: string;
  rememberMe: boolean;
}

const signInErrorMeta: ErrorMeta = { failure: 'signin.fail', tone: 'warning' };
/** The name of the step with which the server demands a captcha. */
const captchaStep = 'captchaRequired';

/**
 * The credentials, with the captcha's verification, or without it for users who cannot see the
 * picture.
 */
type SignInAttempt = Credentials & { captchaVerification?: string; unseen?: true };

/**
 * Signs in to the tenant of this host, otherwise to the installation's default tenant. `begin`
 * finds the tenant and opens the captcha, unless the installation has turned it off; `enter` sends
 * the credentials. All failures are shown.
 */
export function useSignIn(onRefused: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [asking, setAsking] = useState<'no' | 'yes' | 'unlessUnseen'>('no');
  const [second, setSecond] = useState<SecondStep | null>(null);
  const prepared = useRef(false);

  const settings = () => client.fetchQuery({ ...consoleSettingsQuery(), retry: false });

  const tenantName = async (): Promise<string> => {
    const tenant = await client.fetchQuery({ ...tenantQuery(), retry: false }).catch((): Tenant | null => null);
    if (tenant) return tenant.name;
    const { defaultTenant } = await settings();
    const id = defaultTenant && (await client.fetchQuery({ ...defaultTenantQuery(defaultTenant), retry: false }));
    if (!id) throw new ApiError(601, t('signin.noTenant'), 'business');
    return defaultTenant;
  };

  /** Without the settings the captcha is shown: the server also accepts one that was not needed. */
  const captchaMode = async () => (await settings().catch(() => null))?.captcha ?? 'always';

  const prepare = () => {
    if (prepared.current) return;
    prepared.current = true;
    // A failure here is ignored: it is fetched again, and a failure shown, when it is needed.
    captchaMode()
      .then((mode) => (mode === 'off' ? null : loadCaptchaPanel()))
      .catch(() => null);
  };

  const ask = async () => {
    await loadCaptchaPanel();
    setAsking((await captchaMode()) === 'adaptive' ? 'unlessUnseen' : 'yes');
  };

  const goOn = async (next: SecondStep) => {
    await (next.step === 'code' ? loadCodeStep() : loadEnrolStep());
    setSecond(next);
  };

  const enter = useMutation({
    mutationFn: async ({ captchaVerification, unseen: _, ...credentials }: SignInAttempt) =>
      signIn({
        ...credentials,
        tenantName: await tenantName(),
        ...(captchaVerification === undefined ? {} : { captchaVerification }),
      }),
    meta: { ...signInErrorMeta, takes: [captchaStep, ...secondSteps] },
    onMutate: () => {
      clearToasts();
      setAsking('no');
    },
    onSuccess: (_, { userName }) => rememberTermsRead(userName),
    onError: (error, { unseen }) => {
      const next = secondStepOf(error);
      if (next) {
        goOn(next).catch((broken: unknown) => showError(broken, signInErrorMeta));
        return;
      }
      const step = asksForStep(error, captchaStep);
      if (step && !unseen) {
        ask().catch((broken: unknown) => showError(broken, signInErrorMeta));
        return;
      }
      if (step) toast.warning(t('signin.fail'), t('captcha.unseenWait'));
      onRefused();
    },
  });

  const begin = useMutation({
    mutationFn: async (credentials: Credentials) => {
      // If there is no tenant, the user is told before solving a captcha.
      await tenantName();
      if ((await captchaMode()) === 'off') enter.mutate(credentials);
      else await ask();
    },
    meta: signInErrorMeta,
    onMutate: clearToasts,
    onError: onRefused,
  });

  return {
    /** Loads ahead what the captcha needs. */
    prepare,
    begin: begin.mutate,
    enter: enter.mutate,
    busy: begin.isPending || enter.isPending,
    /** The captcha is open. */
    asking: asking !== 'no',
    /** The server may accept credentials without a captcha while few attempts have failed. */
    captchaOptional: asking === 'unlessUnseen',
    closeCaptcha: () => setAsking('no'),
    /** The password was right, and this is needed besides. */
    second,
    leaveSecond: () => setSecond(null),
  };
}
