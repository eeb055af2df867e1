import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import SyncOutlined from '@ant-design/icons/SyncOutlined';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useLiveStatus } from '@/lib/live/useLive';
import { useOffline } from '@/lib/offline/reachability';
import css from './LiveStatusFooter.module.css';

/**
 * Whether the screen is live, and how old its data is. Not a live region: a counting age would
 * never be silent.
 */
export function LiveStatusFooter() {
  const { t } = useTranslation();
  const { state: streaming, lastEventAt } = useLiveStatus();
  // A stream may seem open for a while after the connection broke.
  const state = useOffline() ? 'offline' : streaming;
  const format = useFormat();
  const now = useNow();
  const age = lastEventAt === null ? null : format.ago(lastEventAt, now);

  const words = {
    live: () => (age ? t('shell.live.liveSince', { age }) : t('shell.live.live')),
    connecting: () => t('shell.live.connecting'),
    offline: () => (age ? t('shell.live.offlineSince', { age }) : t('shell.live.offline')),
  }[state]();

  return (
    <div className={css.foot} data-state={state} title={words}>
      {state === 'offline' ? (
        <DisconnectOutlined aria-hidden="true" />
      ) : (
        <SyncOutlined spin={state === 'connecting'} aria-hidden="true" />
      )}
      <span className={css.words}>{words}</span>
    </div>
  );
}
