import CameraOutlined from '@ant-design/icons/CameraOutlined';
import CaretRightOutlined from '@ant-design/icons/CaretRightOutlined';
import FullscreenExitOutlined from '@ant-design/icons/FullscreenExitOutlined';
import FullscreenOutlined from '@ant-design/icons/FullscreenOutlined';
import PauseOutlined from '@ant-design/icons/PauseOutlined';
import VideoCameraFilled from '@ant-design/icons/VideoCameraFilled';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { toast } from '@/lib/feedback/feedback';
import { useNow } from '@/lib/format/clock';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import css from './CameraPicture.module.css';
import { pictureName, savePicture } from './snapshot';
import type { Source } from './stream';
import { useFullscreen } from './useFullscreen';
import { type Player as Playing, retryMs, usePlayer } from './usePlayer';
import { VideoPlaceholder } from './VideoPlaceholder';

interface PlayerProps {
  device: Device;
  source: Source;
}

/** A stream or a film, without sound, with a few controls of its own. */
export function Player({ device, source }: PlayerProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const frame = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const player = usePlayer(video, source);
  const fullscreen = useFullscreen(frame, video);
  const { state, live, date } = player;
  const shows = state === 'playing' || state === 'paused';

  const save = () => {
    if (!video.current) return;
    savePicture(video.current, pictureName(device.deviceName, date ?? Date.now())).catch(() =>
      toast.error(t('data.video.saveFail')),
    );
  };

  return (
    <div ref={frame} className={css.fill}>
      <video
        ref={video}
        className={css.video}
        aria-label={t('data.video.of', { name: nameOf(device) })}
        muted
        playsInline
        loop={source.kind === 'file'}
        preload="none"
        hidden={state === 'down' || state === 'unsupported'}
      />
      {state === 'loading' ? <VideoPlaceholder kind="wait" title={t('data.video.loading')} /> : null}
      {state === 'down' ? <Down player={player} /> : null}
      {state === 'unsupported' ? (
        <VideoPlaceholder kind="none" title={t('data.video.unsupportedTitle')} text={t('data.video.unsupportedText')} />
      ) : null}
      {state === 'playing' && live ? (
        <span className={css.live}>
          <VideoCameraFilled aria-hidden="true" />
          {t('data.video.live')}
        </span>
      ) : null}
      {shows && date !== null ? (
        <time className={css.time} dateTime={new Date(date).toISOString()}>
          {formatDateTime(date, format.language, 'seconds')}
        </time>
      ) : null}
      {shows ? (
        <div className={css.controls}>
          {state === 'playing' ? (
            <Control label={t('data.video.pause')} icon={<PauseOutlined />} onClick={player.pause} />
          ) : (
            <Control label={t('data.video.play')} icon={<CaretRightOutlined />} onClick={player.play} />
          )}
          <span className={css.space} />
          {player.savable ? <Control label={t('data.video.save')} icon={<CameraOutlined />} onClick={save} /> : null}
          {fullscreen.possible ? (
            <Control
              label={fullscreen.on ? t('data.video.leaveFull') : t('data.video.full')}
              icon={fullscreen.on ? <FullscreenExitOutlined /> : <FullscreenOutlined />}
              onClick={fullscreen.toggle}
            />
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function Control({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <button type="button" className={css.control} aria-label={label} title={label} onClick={onClick}>
      {icon}
    </button>
  );
}

function Down({ player }: { player: Playing }) {
  const { t } = useTranslation();
  useNow();
  // Both times are by this machine's clock.
  const seconds = Math.max(1, Math.ceil((player.downAt + retryMs - Date.now()) / 1000));
  return (
    <VideoPlaceholder
      kind="down"
      title={t('data.video.downTitle')}
      text={`${t('data.video.downText')} ${t('home.error.again', { seconds })}`}
      onRetry={player.retry}
    />
  );
}
