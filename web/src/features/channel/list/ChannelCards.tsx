import RightOutlined from '@ant-design/icons/RightOutlined';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { kindsOf } from '@/lib/channel/kinds';
import type { Channel } from '@/lib/channel/queries';
import { formatDateTime } from '@/lib/format/date';
import { useLanguage } from '@/lib/i18n/i18n';
import { useMay } from '@/lib/session/useMay';
import { ChannelKindChips } from '@/ui/channel/channelKinds';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { useChannelText } from '../channelText';
import css from './ChannelCards.module.css';
import { addressOf, onPlainClick } from './links';

interface ChannelCardsProps {
  /** Undefined until they are fetched. */
  channels: readonly Channel[] | undefined;
  onOpen: (id: number) => void;
}

/** On a phone: the channels one below the other; the actions are in a channel's sheet. */
export function ChannelCards({ channels, onOpen }: ChannelCardsProps) {
  const { t } = useTranslation();
  const words = useChannelText();
  const language = useLanguage((state) => state.language);
  const mayChange = useMay('operator');
  if (!channels) {
    return (
      <Loading>
        {['a', 'b', 'c'].map((name) => (
          <div key={name} className={css.card}>
            <Skeleton height={66} width="70%" />
          </div>
        ))}
      </Loading>
    );
  }
  return (
    <ul aria-label={t('channel.list')}>
      {channels.map((channel) => (
        <li key={channel.id} className={css.item}>
          <Frame channel={channel} opens={mayChange} onOpen={onOpen}>
            <span className={css.words}>
              <b className={css.name}>{channel.noticeName}</b>
              <ChannelKindChips of={kindsOf(channel)} />
              <span className={css.facts}>{`${words.recipients(channel)} · ${words.rules(channel, true)}`}</span>
              <span
                className={css.facts}
              >{`${t('channel.col.created')} ${formatDateTime(channel.createTime, language)}`}</span>
            </span>
            {mayChange ? <RightOutlined className={css.arrow} aria-hidden="true" /> : null}
          </Frame>
        </li>
      ))}
    </ul>
  );
}

interface FrameProps {
  channel: Channel;
  /** The user may change it. */
  opens: boolean;
  onOpen: (id: number) => void;
  children: ReactNode;
}

function Frame({ channel: { id }, opens, onOpen, children }: FrameProps) {
  return opens ? (
    <a className={css.card} href={addressOf(id)} onClick={onPlainClick(() => onOpen(id))}>
      {children}
    </a>
  ) : (
    <div className={css.card}>{children}</div>
  );
}
