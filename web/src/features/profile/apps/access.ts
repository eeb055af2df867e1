import type { components } from '@/api/schema.gen';
import { midnight, startOfDay } from '@/lib/format/date';
import { startOfDate, wallTime, zonedDate } from '@/lib/format/zone';

export type Role = components['schemas']['Role'];
export type Scope = components['schemas']['CredentialScope'];

/** From the least to the most. */
export const roles: readonly Role[] = ['viewer', 'operator', 'owner'];

/** The scopes, each with the least role that may give it. */
export const scopeRoles: readonly { scope: Scope; role: Role }[] = [
  { scope: 'read', role: 'viewer' },
  { scope: 'telemetry', role: 'operator' },
  { scope: 'webhooks', role: 'owner' },
];

export const allows = (role: Role, least: Role) => roles.indexOf(role) >= roles.indexOf(least);

export const expiries = ['never', 'month', 'quarter', 'year', 'day'] as const;
export type Expiry = (typeof expiries)[number];

/** What the form says of a new key. */
export interface AccessValues {
  role: Role;
  /** The scopes that are ticked; the role may not allow all of them. */
  ticked: readonly Scope[];
  expiry: Expiry;
  /** 2026-11-21, for the expiry `day`; empty until it is chosen. */
  day: string;
}

export const scopesOf = ({ role, ticked }: Pick<AccessValues, 'role' | 'ticked'>): Scope[] =>
  scopeRoles.filter((known) => allows(role, known.role) && ticked.includes(known.scope)).map(({ scope }) => scope);

/** The end of the last day on which the key is valid, by the tenant's calendar; undefined: never. */
export function expiryTime({ expiry, day }: Pick<AccessValues, 'expiry' | 'day'>, now: number): number | undefined {
  switch (expiry) {
    case 'never':
      return undefined;
    case 'month':
      return midnight(now, 30 + 1);
    case 'quarter':
      return midnight(now, 90 + 1);
    case 'year': {
      const today = zonedDate(now);
      return startOfDate(today.getFullYear() + 1, today.getMonth(), today.getDate() + 1);
    }
    case 'day': {
      const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
      return startOfDate(year, month - 1, date + 1);
    }
  }
}

/** The last moment at which the key is valid: one that expires at midnight has the day before. */
export const lastMoment = (expires: number) => expires - 1;

/** Days of the tenant's calendar until the key's last day; negative once it is past. */
export const daysLeft = (expires: number, now: number) =>
  Math.round((wallTime(startOfDay(lastMoment(expires))) - wallTime(startOfDay(now))) / 86_400_000);

export const isExpired = (expires: number | undefined, now: number) => expires !== undefined && expires <= now;
