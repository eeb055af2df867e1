import { create } from 'zustand';
import { usePreferences } from './preferences';

/** The data saver: what is dear to fetch comes when somebody asks for it. Kept in this browser. */
export function useSaver(): boolean {
  return usePreferences(({ saveData }) => saveData);
}

/** Whether the data saver may be offered; it is never turned on by itself. */
export const useSaverOffer = create(() => ({ weak: false }));

const askedKey = 'tilth.saver-offered';
/** Who said no is not asked again for so long. */
const peaceMs = 30 * 24 * 3_600_000;
/** So many of the last calls, each longer than this, are a weak line. */
const longMs = 6_000;
const lastCalls = 5;
const mostLong = 3;

/** What browsers tell of the line; only some do. */
interface Line extends EventTarget {
  saveData?: boolean;
  effectiveType?: string;
}

const line = () => (navigator as { connection?: Line }).connection;

/** Whether the browser says that the line is weak, or that its owner saves data. Many do not say. */
export function seemsWeak(): boolean {
  const { saveData, effectiveType } = line() ?? {};
  return saveData === true || (effectiveType !== undefined && effectiveType !== '4g');
}

let calls: number[] = [];

/** A call took so long until its first byte, or until it was given up. */
export function noteCall(ms: number): void {
  calls = [...calls, ms].slice(-lastCalls);
  if (calls.filter((took) => took > longMs).length >= mostLong) offer();
}

function offer(): void {
  if (!useSaverOffer.getState().weak && mayAsk()) useSaverOffer.setState({ weak: true });
}

function mayAsk(): boolean {
  try {
    const asked = Number(localStorage.getItem(askedKey) ?? 0);
    return !(Math.abs(Date.now() - asked) < peaceMs);
  } catch {
    // Where the answer cannot be kept it would be asked for again and again.
    return false;
  }
}

/** Offers the data saver where the browser says that the line is weak, now or later. Returns how to stop. */
export function followLine(): () => void {
  const look = () => {
    if (seemsWeak()) offer();
  };
  look();
  const watched = line();
  watched?.addEventListener?.('change', look);
  return () => watched?.removeEventListener?.('change', look);
}

/** The person answered. */
export function answerOffer(yes: boolean): void {
  try {
    localStorage.setItem(askedKey, String(Date.now()));
  } catch {
    // As in mayAsk: then it was not asked.
  }
  calls = [];
  useSaverOffer.setState({ weak: false });
  if (yes) usePreferences.getState().set({ saveData: true });
}

/** As on a page just opened. */
export function forgetLine(): void {
  calls = [];
  useSaverOffer.setState({ weak: false });
}
