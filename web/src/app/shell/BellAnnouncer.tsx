import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '@/lib/i18n/i18n';
import { recentQuery } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';
import { useMessageLive } from '@/lib/message/useMessageLive';

/** Announces serious alarms to a screen reader, by their names and without interrupting. */
export function BellAnnouncer() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);
  const [words, setWords] = useState('');

  const announce = useCallback(
    async (ids: readonly number[]) => {
      // Of several tabs only the visible one announces.
      if (document.hidden) return;
      const recent = await client.fetchQuery({ ...recentQuery(language), staleTime: 0 }).catch(() => undefined);
      const titles =
        recent?.list.filter(({ id }) => ids.includes(id)).map((message) => splitMessage(message).title) ?? [];
      setWords(
        titles.length > 0 ? t('message.newSerious', { titles: titles.join(', ') }) : t('message.newSeriousUnnamed'),
      );
    },
    [client, language, t],
  );
  useMessageLive(announce);

  return (
    <span className="visually-hidden" role="status">
      {words}
    </span>
  );
}
