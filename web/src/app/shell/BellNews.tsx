import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '@/lib/i18n';
import { linesOf } from '@/lib/message/lines';
import { recentQuery } from '@/lib/message/queries';
import { useMessageLive } from '@/lib/message/useMessageLive';

/** Tells a screen reader of serious alarms, by their names and without interrupting. */
export function BellNews() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);
  const [words, setWords] = useState('');

  const tell = useCallback(
    async (ids: readonly number[]) => {
      // Of several tabs only the one that is looked at speaks.
      if (document.hidden) return;
      const recent = await client.fetchQuery({ ...recentQuery(language), staleTime: 0 }).catch(() => undefined);
      const titles = recent?.list.filter(({ id }) => ids.includes(id)).map((message) => linesOf(message).title) ?? [];
      setWords(
        titles.length > 0 ? t('message.newSerious', { titles: titles.join(', ') }) : t('message.newSeriousUnnamed'),
      );
    },
    [client, language, t],
  );
  useMessageLive(tell);

  return (
    <span className="visually-hidden" role="status">
      {words}
    </span>
  );
}
