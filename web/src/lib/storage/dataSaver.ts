import { create } from 'zustand';
import { usePreferences } from './preferences';

/** The data saver: what is dear to fetch comes when somebody asks for it. Kept in this browser. */
export function useDataSaver(): boolean {
  return usePreferences(({ saveData }) => saveData);
}

/** Whether the data saver may be offered; it is never turned on by itself. */
export const useDataSaverOffer = create(() => ({ weak: false }));

const offeredAtKey = 'tilth.saver-offered';
/** Who said no is not asked again for so long. */
const offerPauseMs = 30 * 24 * 3_600_000;
/** So many of the last calls, each longer than this, are a weak line. */
const slowCallMs = 6_000;
const recentCallCount = 5;
const maxSlowCalls = 3;

/** What browsers tell of the line; only some do. */
interface NetworkInformation extends EventTarget {
  saveData?: boolean;
  effectiveType?: string;
}

const networkInformation = () => (navigator as { connection?: NetworkInformation }).connection;

/** Whether the browser says that the line is weak, or that its owner saves data. Many do not say. */
export function isConnectionWeak(): boolean {
  const { saveData, effectiveType } = networkInformation() ?? {};
  return saveData === true || (effectiveType !== undefined && effectiveType !== '4g');
}

let recentCallMs: number[] = [];

/** A call took so long until its first byte, or until it was given up. */
export function recordCallDuration(ms: number): void {
  recentCallMs = [...recentCallMs, ms].slice(-recentCallCount);
  if (recentCallMs.filter((took) => took > slowCallMs).length >= maxSlowCalls) offerDataSaver();
}

function offerDataSaver(): void {
  if (!useDataSaverOffer.getState().weak && canOffer()) useDataSaverOffer.setState({ weak: true });
}

function canOffer(): boolean {
  try {
    const asked = Number(localStorage.getItem(offeredAtKey) ?? 0);
    return !(Math.abs(Date.now() - asked) < offerPauseMs);
  } catch {
    // Where the answer cannot be kept it would be asked for again and again.
    return false;
  }
}

/** Offers the data saver where the browser says that the line is weak, now or later. Returns how to stop. */
export function watchConnection(): () => void {
  const check = () => {
    if (isConnectionWeak()) offerDataSaver();
  };
  check();
  const watched = networkInformation();
  watched?.addEventListener?.('change', check);
  return () => watched?.removeEventListener?.('change', check);
}

/** The person answered. */
export function answerDataSaverOffer(yes: boolean): void {
  try {
    localStorage.setItem(offeredAtKey, String(Date.now()));
  } catch {
    // As in mayAsk: then it was not asked.
  }
  recentCallMs = [];
  useDataSaverOffer.setState({ weak: false });
  if (yes) usePreferences.getState().set({ saveData: true });
}

/** As on a page just opened. */
export function resetConnectionWatch(): void {
  recentCallMs = [];
  useDataSaverOffer.setState({ weak: false });
}
