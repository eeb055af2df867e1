import { TZDateMini, tzOffset } from '@date-fns/tz';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

interface TenantZoneState {
  /** IANA name; undefined until the server has said it. */
  zone: string | undefined;
}

/**
 * The farm's time zone, in which the whole console tells and takes times, wherever its reader is: frost at five is frost at five by
 * the farm's clocks. Until it is known, and where this browser knows no such zone, this machine's stands in.
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

/** This machine's zone; undefined where it does not know where it is. */
export function browserZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return zone && zone !== 'Etc/Unknown' ? zone : undefined;
}

/** The zone that times are told in, as every call names it to the server. */
export const displayZone = () => useTenantZone.getState().zone ?? browserZone();

/** A moment whose getters give the farm's calendar and clock. */
export function zonedDate(time: number): Date {
  const { zone } = useTenantZone.getState();
  return zone === undefined ? new Date(time) : new TZDateMini(time, zone);
}

/** What the farm's calendar and clock show, as the moment at which they show it in UTC. */
export const wallTime = (time: number) => time - zonedDate(time).getTimezoneOffset() * minuteMs;

/** The moment when the farm's calendar and clock show this, its month counted from 0; days and minutes may run over. */
export function fromZonedParts(year: number, month: number, day: number, hours = 0, minutes = 0): number {
  const { zone } = useTenantZone.getState();
  if (zone === undefined) return new Date(year, month, day, hours, minutes).getTime();
  // Not TZDateMini of these fields: it goes by way of this machine's clock and loses the hours that this one leaves out.
  const wall = Date.UTC(year, month, day, hours, minutes);
  const east = (time: number) => tzOffset(zone, new Date(time)) * minuteMs;
  // By the clock of the day before, then by that of the day after. What both leave out is later by as much as clocks are set forward.
  const [before, after] = [east(wall - dayMs), east(wall + dayMs)];
  if (east(wall - before) !== before && east(wall - after) === after) return wall - after;
  return wall - before;
}

/** Whether the reader's own clock shows another time than the farm's. */
export function zonesDiffer(time: number): boolean {
  return zonedDate(time).getTimezoneOffset() !== new Date(time).getTimezoneOffset();
}
