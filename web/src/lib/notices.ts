import { create } from 'zustand';

export type ToastTone = 'success' | 'info' | 'warning' | 'error';

export interface Toast {
  id: number;
  tone: ToastTone;
  title: string;
  /** A second line, for example the server's own sentence. */
  text?: string;
}

export interface Dialog {
  title: string;
  text: string;
}

interface NoticesState {
  toasts: readonly Toast[];
  dialog: Dialog | null;
}

/** What the app says to the person beside the page itself; drawn in one place, raised from anywhere. */
export const useNotices = create<NoticesState>(() => ({ toasts: [], dialog: null }));

let lastId = 0;

function raise(tone: ToastTone, title: string, text?: string): void {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, title, text };
  // Ten calls that fail alike are one message, shown anew.
  const others = useNotices.getState().toasts.filter((shown) => shown.title !== title || shown.text !== text);
  useNotices.setState({ toasts: [...others, toast] });
}

export const toast = {
  success: (title: string, text?: string) => raise('success', title, text),
  info: (title: string, text?: string) => raise('info', title, text),
  warning: (title: string, text?: string) => raise('warning', title, text),
  error: (title: string, text?: string) => raise('error', title, text),
};

export function dismissToast(id: number): void {
  useNotices.setState((state) => ({ toasts: state.toasts.filter((shown) => shown.id !== id) }));
}

/** The person acts anew: what was said of the last try is over. */
export function clearToasts(): void {
  useNotices.setState({ toasts: [] });
}

export function showDialog(dialog: Dialog): void {
  useNotices.setState({ dialog });
}

export function closeDialog(): void {
  useNotices.setState({ dialog: null });
}
