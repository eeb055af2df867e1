import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import StopOutlined from '@ant-design/icons/StopOutlined';
import SyncOutlined from '@ant-design/icons/SyncOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Chip, type ChipTone } from '@/ui/Chip';
import { Note } from '@/ui/Note';
import css from './Connection.module.css';
import type { HomeAssistant } from './queries';

const looks: Record<HomeAssistant['state'], { tone: ChipTone; icon: typeof StopOutlined }> = {
  off: { tone: 'off', icon: StopOutlined },
  connecting: { tone: 'info', icon: SyncOutlined },
  connected: { tone: 'ok', icon: CheckCircleFilled },
  failed: { tone: 'warn', icon: WarningOutlined },
};

/** What the connection to the broker does, and what is published there. */
export function Connection({ of }: { of: HomeAssistant }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { tone, icon: Icon } = looks[of.state];
  const facts = [
    ['devices', of.devices],
    ['entities', of.entities],
  ] as const;
  return (
    <div className={css.connection} role="status">
      <div className={css.top}>
        <Chip tone={tone} icon={<Icon />}>
          {t(`homeAssistant.state.${of.state}`)}
        </Chip>
        {of.since ? (
          <span className={css.since}>{t('homeAssistant.since', { time: format.absolute(of.since) })}</span>
        ) : null}
      </div>
      {of.state === 'connected' ? (
        <dl className={css.facts}>
          {facts.map(([name, count]) => (
            <div key={name} className={css.fact}>
              <dt>{t(`homeAssistant.${name}`)}</dt>
              <dd>{format.number(count ?? 0)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {of.error ? (
        <Note tone="warn" title={of.state === 'off' ? t('homeAssistant.left') : undefined}>
          {of.error}
        </Note>
      ) : null}
      {of.omittedDevices ? (
        <Note tone="info">{t('homeAssistant.omitted', { n: format.number(of.omittedDevices) })}</Note>
      ) : null}
    </div>
  );
}
