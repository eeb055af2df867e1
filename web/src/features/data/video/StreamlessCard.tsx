import VideoCameraOutlined from '@ant-design/icons/VideoCameraOutlined';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import card from '../card/Card.module.css';
import { CardHead } from '../card/CardHead';

/** A camera without a stream. Its card is as low as a sensor's, since there is no picture. */
export const StreamlessCard = memo(function StreamlessCard({ device }: { device: Device }) {
  const { t } = useTranslation();
  const name = nameOf(device);
  return (
    <article className={card.card} aria-label={name}>
      <CardHead device={device} />
      <div className={card.none}>
        <VideoCameraOutlined aria-hidden="true" className={card.noneMark} />
        <p className={card.noneTitle}>{t('data.video.noneTitle')}</p>
        <p className={card.noneText}>{t('data.video.noneText', { name })}</p>
      </div>
    </article>
  );
});
