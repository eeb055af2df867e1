import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import css from './CameraPicture.module.css';

interface EmbedFrameProps {
  device: Device;
  /** Valid for a minute. */
  url: string;
  onReload: () => void;
  busy: boolean;
}

/**
 * A third party's snippet, which is isolated in its own frame. It never gets this page's origin,
 * and it is reloaded only when the user asks for it.
 */
export function EmbedFrame({ device, url, onReload, busy }: EmbedFrameProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(url);
  const [reloadRequested, setReloadRequested] = useState(false);
  if (reloadRequested && url !== shown) {
    setShown(url);
    setReloadRequested(false);
  }
  return (
    <>
      <iframe
        key={shown}
        src={shown}
        title={t('data.video.of', { name: nameOf(device) })}
        sandbox="allow-scripts"
        allow="autoplay; fullscreen"
        referrerPolicy="no-referrer"
        className={css.fill}
      />
      <div className={`${css.controls} ${css.top}`}>
        <button
          type="button"
          className={css.control}
          aria-label={t('data.video.reload')}
          title={t('data.video.reload')}
          aria-disabled={busy}
          onClick={() => {
            if (busy) return;
            setReloadRequested(true);
            onReload();
          }}
        >
          <ReloadOutlined spin={busy} />
        </button>
      </div>
    </>
  );
}
