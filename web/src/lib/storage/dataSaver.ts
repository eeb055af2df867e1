import { create } from 'zustand';
import { usePreferences } from './preferences';

/** The data saver: expensive content loads only on request. Stored in this browser. */
export function useDataSaver(): boolean {
  return usePreferences(({ saveData }) => saveData);
}

/** Whether the data saver may be offered; it never turns itself on. */
export const useDataSaverOffer = create(() => ({ weak: false }));

const offeredAtKey = 'tilth.saver-offered';
/** After a refusal the offer pauses for this long. */
const offerPauseMs = 30 * 24 * 3_600_000;
/** If all of the last calls took longer than this, the connection is slow. */
const slowCallMs = 6_000;
const recentCallCount = 5;
const maxSlowCalls = 3;

/** What browsers tell about the connection; only some do. */
interface NetworkInformation extends EventTarget {
  saveData?: boolean;
  effectiveType?: string;
}

const networkInformation = () => (navigator as { connection?: NetworkInformation }).connection;

/**
 * Whether the browser reports a slow connection, or a user who saves data. Many browsers report
 * nothing.
 */
export function isConnectionWeak(): boolean {
  const { saveData, effectiveType } = networkInformation() ?? {};
  return saveData === true || (effectiveType !== undefined && effectiveType !== '4g');
}

let recentCallMs: number[] = [];

/** Records how long a call took until its first byte, or until it was aborted. */
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
    // If the answer cannot be stored, the offer would come again and again.
    return false;
  }
}

/**
 * Offers the data saver when the browser reports a slow connection, now or later. Returns a
 * function that stops it.
 */
export function watchConnection(): () => void {
  const check = () => {
    if (isConnectionWeak()) offerDataSaver();
  };
  check();
  const watched = networkInformation();
  watched?.addEventListener?.('change', check);
  return () => watched?.removeEventListener?.('change', check);
}

/** The user answered the offer. */
export function answerDataSaverOffer(yes: boolean): void {
  try {
    localStorage.setItem(offeredAtKey, String(Date.now()));
  } catch {
    // Storage is forbidden: then there was no offer.
  }
  recentCallMs = [];
  useDataSaverOffer.setState({ weak: false });
  if (yes) usePreferences.getState().set({ saveData: true });
}

/** Resets to the state of a page just opened. */
export function resetConnectionWatch(): void {
  recentCallMs = [];
  useDataSaverOffer.setState({ weak: false });
}
