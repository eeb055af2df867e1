import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isSetUp, specifiedKinds } from '@/lib/channel/kinds';
import { availableKindsQuery } from '@/lib/channel/queries';
import { Note } from '@/ui/Note';
import css from './ChannelPage.module.css';

/** Names the kinds of channels through which this server cannot reach anybody. */
export function UnavailableKindsNote() {
  const { t } = useTranslation();
  const ways = useQuery(availableKindsQuery()).data;
  if (!ways) return null;
  const off = specifiedKinds.filter((mode) => !isSetUp(mode, ways));
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
