import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { errorText } from '@/lib/errorText';
import { useInView } from '@/lib/useInView';
import { useOnTap } from '@/ui/OnTap';
import { EmbedFrame } from './EmbedFrame';
import { Notice } from './Notice';
import css from './Picture.module.css';
import { Player } from './Player';
import { foreseen, videoQuery } from './queries';

/** A camera's picture: asked for, fetched and played only while it is in view; with the data saver once somebody asks. */
export function Picture({ device }: { device: Device }) {
  const frame = useRef<HTMLDivElement>(null);
  const { t } = useTranslation();
  const inView = useInView(frame, 200);
  const [shown, show] = useOnTap();
  return (
    <div ref={frame} className={css.picture}>
      {inView && shown ? <Shown device={device} /> : null}
      {shown ? null : (
        <Notice
          kind="none"
          title={t('saver.title')}
          text={t('saver.pictureText')}
          onRetry={show}
          retryWords={t('saver.picture')}
        />
      )}
    </div>
  );
}

function Shown({ device }: { device: Device }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({
    ...videoQuery(device.deviceName),
    initialData: () => foreseen(client, device.deviceName),
  });
  const ask = () => void refetch();
  if (!data) {
    if (!error) return <Notice kind="wait" title={t('data.video.loading')} />;
    return (
      <Notice kind="down" title={t('data.video.failed')} text={errorText(error)} onRetry={ask} busy={isFetching} />
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
        <Notice
          kind="none"
          title={t('data.video.noneTitle')}
          text={t('data.video.noneText', { name: nameOf(device) })}
        />
      );
  }
}
