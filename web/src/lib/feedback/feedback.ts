import { create } from 'zustand';

export type ToastTone = 'success' | 'info' | 'warning' | 'error';

export interface Toast {
  id: number;
  tone: ToastTone;
  title: string;
  /** A second line, for example the server's own sentence. */
  text?: string;
  /**
   * An action offered to the user; such a message stays until the user takes it or closes the
   * message.
   */
  action?: ToastAction;
  /** When it was raised, epoch milliseconds. */
  at: number;
}

export interface ToastAction {
  label: string;
  act: () => void;
}

export interface Dialog {
  title: string;
  /** The action that failed, shown above the sentence. */
  about?: string;
  text: string;
}

interface FeedbackState {
  toasts: readonly Toast[];
  dialog: Dialog | null;
}

/** Messages to the user outside the page's content; raised from anywhere, rendered in one place. */
export const useFeedback = create<FeedbackState>(() => ({ toasts: [], dialog: null }));

let lastId = 0;
/**
 * A message repeated within so many milliseconds is a duplicate: ten calls that fail alike show one
 * message.
 */
const duplicateWindowMs = 1_000;

function addToast(tone: ToastTone, title: string, text?: string, action?: ToastAction): void {
  const at = Date.now();
  const { toasts } = useFeedback.getState();
  const isSame = (shown: Toast) => shown.tone === tone && shown.title === title && shown.text === text;
  if (toasts.some((shown) => isSame(shown) && at - shown.at < duplicateWindowMs)) return;
  // A cause that is already the second line of a feature's message is not shown a second time by
  // itself.
  if (text === undefined && toasts.some((shown) => shown.text === title)) return;
  const isCovered = (shown: Toast) => isSame(shown) || (shown.text === undefined && shown.title === text);
  lastId += 1;
  useFeedback.setState({
    toasts: [...toasts.filter((shown) => !isCovered(shown)), { id: lastId, tone, title, text, action, at }],
  });
}

export const toast = {
  success: (title: string, text?: string) => addToast('success', title, text),
  info: (title: string, text?: string, action?: ToastAction) => addToast('info', title, text, action),
  warning: (title: string, text?: string) => addToast('warning', title, text),
  error: (title: string, text?: string) => addToast('error', title, text),
};

export function dismissToast(id: number): void {
  useFeedback.setState((state) => ({ toasts: state.toasts.filter((shown) => shown.id !== id) }));
}

/** The user acts again: removes the messages about the last attempt. */
export function clearToasts(): void {
  useFeedback.setState({ toasts: [] });
}

export function showDialog(dialog: Dialog): void {
  useFeedback.setState({ dialog });
}

export function closeDialog(): void {
  useFeedback.setState({ dialog: null });
}
