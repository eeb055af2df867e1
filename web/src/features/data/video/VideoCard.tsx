import { memo } from 'react';
import { type Device, nameOf } from '@/lib/device/types';
import card from '../card/Card.module.css';
import { CardHead } from '../card/CardHead';
import { CameraPicture } from './CameraPicture';
import css from './CameraPicture.module.css';

/** A camera's name and picture. */
export const VideoCard = memo(function VideoCard({ device }: { device: Device }) {
  return (
    <article className={`${card.card} ${css.card}`} aria-label={nameOf(device)}>
      <CardHead device={device} />
      <CameraPicture device={device} />
    </article>
  );
});
