import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { availableKindsQuery, channelKinds } from '@/lib/channel/queries';
import { Note } from '@/ui/Note';
import css from './ChannelPage.module.css';

/** Names the kinds of channels through which this server cannot reach anybody. */
export function UnavailableKindsNote() {
  const { t } = useTranslation();
  const ways = useQuery(availableKindsQuery()).data;
  if (!ways) return null;
  const off = channelKinds.filter((mode) => !ways[mode]);
  if (off.length === 0 && !ways.logged) return null;
  return (
    <div className={css.ways}>
      {off.map((mode) => (
        <Note key={mode} tone="warn">
          {t(`channel.off.${mode}`)}
        </Note>
      ))}
      {ways.logged ? <Note tone="info">{t('channel.logged')}</Note> : null}
    </div>
  );
}
