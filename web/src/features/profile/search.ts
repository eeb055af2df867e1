export const tabs = ['info', 'password', 'app', 'webhook'] as const;
export type ProfileTab = (typeof tabs)[number];

export interface ProfileSearch {
  /** Absent: the first one. */
  tab?: Exclude<ProfileTab, 'info'>;
}

/** What the address of the profile may hold: a link opens a tab. */
export function profileSearch({ tab }: Record<string, unknown>): ProfileSearch {
  // Named even where there is none: what the address holds else would come through.
  return { tab: tab === 'password' || tab === 'app' || tab === 'webhook' ? tab : undefined };
}
