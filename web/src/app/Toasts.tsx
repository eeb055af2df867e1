import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CloseCircleFilled from '@ant-design/icons/CloseCircleFilled';
import CloseOutlined from '@ant-design/icons/CloseOutlined';
import ExclamationCircleFilled from '@ant-design/icons/ExclamationCircleFilled';
import InfoCircleFilled from '@ant-design/icons/InfoCircleFilled';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dismissToast, type Toast, type ToastTone, useFeedback } from '@/lib/feedback/feedback';
import css from './Toasts.module.css';

const icons = {
  success: CheckCircleFilled,
  info: InfoCircleFilled,
  warning: ExclamationCircleFilled,
  error: CloseCircleFilled,
} satisfies Record<ToastTone, unknown>;

const visibleMs = 5_000;

/**
 * Short messages above the page. They stay while the pointer or the focus is on them; one with an
 * action stays until the user takes it.
 */
export function Toasts() {
  const toasts = useFeedback((state) => state.toasts);
  const urgent = toasts.filter(({ tone }) => tone === 'error' || tone === 'warning');
  const calm = toasts.filter(({ tone }) => tone === 'success' || tone === 'info');
  // Both regions are always in the page: a screen reader announces only what appears in a region
  // that it knows.
  return (
    <div className={css.place}>
      <div role="alert">
        {urgent.map((toast) => (
          <ToastMessage key={toast.id} toast={toast} />
        ))}
      </div>
      <div role="status">
        {calm.map((toast) => (
          <ToastMessage key={toast.id} toast={toast} />
        ))}
      </div>
    </div>
  );
}

function ToastMessage({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [paused, setHeld] = useState(false);
  const Icon = icons[toast.tone];

  useEffect(() => {
    if (paused || toast.action) return;
    const timer = setTimeout(() => dismissToast(toast.id), visibleMs);
    return () => clearTimeout(timer);
  }, [paused, toast.id, toast.action]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only keeps the message; the button in it acts
    <div
      className={css.toast}
      data-tone={toast.tone}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon className={css.icon} aria-hidden="true" />
      <div className={css.words}>
        <p className={css.title}>{toast.title}</p>
        {toast.text ? <p className={css.text}>{toast.text}</p> : null}
        {toast.action ? (
          <button
            type="button"
            className={css.action}
            onClick={() => {
              dismissToast(toast.id);
              toast.action?.act();
            }}
          >
            {toast.action.label}
          </button>
        ) : null}
      </div>
      <button type="button" className={css.close} aria-label={t('common.close')} onClick={() => dismissToast(toast.id)}>
        <CloseOutlined aria-hidden="true" />
      </button>
    </div>
  );
}
