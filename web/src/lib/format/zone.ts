import { TZDateMini, tzOffset } from '@date-fns/tz';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

interface TenantZoneState {
  /** IANA name; undefined until the server has sent it. */
  zone: string | undefined;
}

/**
 * The tenant's time zone. The whole console shows and takes times in it, wherever the user is:
 * frost at five is frost at five by the tenant's clock. This machine's zone replaces it until it is
 * known, and where the browser does not know it.
 */
export const useTenantZone = create<TenantZoneState>()(
  persist(() => ({ zone: undefined }) as TenantZoneState, {
    name: 'tilth.zone',
    merge: (stored, current) => ({ ...current, zone: validZone((stored as Partial<TenantZoneState> | null)?.zone) }),
  }),
);

export function setTenantZone(zone: string | undefined): void {
  const next = validZone(zone);
  if (next !== useTenantZone.getState().zone) useTenantZone.setState({ zone: next });
}

function validZone(zone: unknown): string | undefined {
  if (typeof zone !== 'string' || zone === '') return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone && zone;
  } catch {
    return undefined;
  }
}

/** This machine's zone; undefined where the machine does not know it. */
export function browserZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return zone && zone !== 'Etc/Unknown' ? zone : undefined;
}

/** The zone of all displayed times, which every call sends to the server. */
export const displayZone = () => useTenantZone.getState().zone ?? browserZone();

/** A date whose getters return the tenant's calendar and clock. */
export function zonedDate(time: number): Date {
  const { zone } = useTenantZone.getState();
  return zone === undefined ? new Date(time) : new TZDateMini(time, zone);
}

/** The tenant's wall time, as the UTC moment with the same calendar and clock. */
export const wallTime = (time: number) => time - zonedDate(time).getTimezoneOffset() * minuteMs;

/**
 * The same as a Date whose UTC calendar and clock are the tenant's: spreadsheets know no zones.
 */
export const wallDate = (time: number) => new Date(wallTime(time));

/**
 * The moment of a tenant's wall time; the month is counted from 0, days and minutes may overflow.
 */
export function fromZonedParts(year: number, month: number, day: number, hours: number, minutes: number): number {
  const { zone } = useTenantZone.getState();
  if (zone === undefined) return new Date(year, month, day, hours, minutes).getTime();
  // TZDateMini would go by way of this machine's clock and lose the hours that this clock skips.
  const wall = Date.UTC(year, month, day, hours, minutes);
  const east = (time: number) => tzOffset(zone, new Date(time)) * minuteMs;
  // Tries the offset of the day before, then that of the day after. A time that neither has is
  // skipped: it moves forward by as much as clocks do.
  const [before, after] = [east(wall - dayMs), east(wall + dayMs)];
  if (east(wall - before) !== before && east(wall - after) === after) return wall - after;
  return wall - before;
}

/**
 * When a date begins by the tenant's clock: at midnight, at the first if clocks show it twice, and after the jump if
 * they skip it. The month is counted from 0, days and months may overflow.
 */
export function startOfDate(year: number, month: number, day: number): number {
  return fromZonedParts(year, month, day, 0, 0);
}

/** Whether the user's own clock shows another time than the tenant's. */
export function zonesDiffer(time: number): boolean {
  return zonedDate(time).getTimezoneOffset() !== new Date(time).getTimezoneOffset();
}
