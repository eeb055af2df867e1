export const tabs = ['info', 'password', 'people', 'app', 'webhook', 'home-assistant'] as const;
export type ProfileTab = (typeof tabs)[number];

export interface ProfileSearch {
  /** Absent: the first tab. */
  tab?: Exclude<ProfileTab, 'info'>;
}

/** The search parameters of the profile page: a link can open a tab. */
export function profileSearch({ tab }: Record<string, unknown>): ProfileSearch {
  // The parameter is set, even to undefined: otherwise the router keeps the unchecked value of the
  // address.
  return { tab: tabs.find((known): known is Exclude<ProfileTab, 'info'> => known !== 'info' && known === tab) };
}
