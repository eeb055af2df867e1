import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { useInView } from '@/lib/hooks/useInView';
import { errorText } from '@/lib/http/errorText';
import { useLoadOnDemand } from '@/ui/LoadOnDemand';
import css from './CameraPicture.module.css';
import { EmbedFrame } from './EmbedFrame';
import { Player } from './Player';
import { prefetchedVideo, videoQuery } from './queries';
import { VideoPlaceholder } from './VideoPlaceholder';

/**
 * A camera's picture. It is queried, fetched and played only while it is in view; with the data
 * saver, only once the user asks for it.
 */
export function CameraPicture({ device }: { device: Device }) {
  const frame = useRef<HTMLDivElement>(null);
  const { t } = useTranslation();
  const inView = useInView(frame, 200);
  const [shown, show] = useLoadOnDemand();
  return (
    <div ref={frame} className={css.picture}>
      {inView && shown ? <LoadedPicture device={device} /> : null}
      {shown ? null : (
        <VideoPlaceholder
          kind="none"
          title={t('saver.title')}
          text={t('saver.pictureText')}
          onRetry={show}
          retryLabel={t('saver.picture')}
        />
      )}
    </div>
  );
}

function LoadedPicture({ device }: { device: Device }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({
    ...videoQuery(device.deviceName),
    initialData: () => prefetchedVideo(client, device.deviceName),
  });
  const ask = () => void refetch();
  if (!data) {
    if (!error) return <VideoPlaceholder kind="wait" title={t('data.video.loading')} />;
    return (
      <VideoPlaceholder
        kind="down"
        title={t('data.video.failed')}
        text={errorText(error)}
        onRetry={ask}
        busy={isFetching}
      />
    );
  }
  switch (data.kind) {
    case 'embed':
      return <EmbedFrame device={device} url={data.url} onReload={ask} busy={isFetching} />;
    case 'hls':
    case 'file':
      return <Player key={data.url} device={device} source={{ kind: data.kind, url: data.url }} />;
    default:
      return (
        <VideoPlaceholder
          kind="none"
          title={t('data.video.noneTitle')}
          text={t('data.video.noneText', { name: nameOf(device) })}
        />
      );
  }
}
