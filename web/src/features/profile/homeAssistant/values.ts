import type { HomeAssistant, HomeAssistantUpdate } from './queries';

/** What the form shows. */
export interface Values {
  enabled: boolean;
  url: string;
  userName: string;
  /** Empty: the stored one stays, unless `removesPassword`. */
  password: string;
  removesPassword: boolean;
  discoveryPrefix: string;
  baseTopic: string;
}

export type UrlError = 'homeAssistant.urlRequired' | 'homeAssistant.urlFormat';

/** The form's values, with what was typed over the stored ones. */
export function valuesOf(stored: HomeAssistant, typed: Partial<Values>): Values {
  const { enabled, url, userName, discoveryPrefix, baseTopic } = stored;
  return { enabled, url, userName, discoveryPrefix, baseTopic, password: '', removesPassword: false, ...typed };
}

/** The server decides whether the address may be called. */
export function checkValues({ enabled, url }: Values): Partial<Record<keyof Values, UrlError>> {
  if (url.trim() === '') return enabled ? { url: 'homeAssistant.urlRequired' } : {};
  return /^mqtts?:\/\/[^\s/]/i.test(url.trim()) ? {} : { url: 'homeAssistant.urlFormat' };
}

/** A password that is left out stays. */
export function bodyOf({ password, removesPassword, ...rest }: Values): HomeAssistantUpdate {
  return { ...rest, url: rest.url.trim(), ...(password !== '' || removesPassword ? { password } : {}) };
}
