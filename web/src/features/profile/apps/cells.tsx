import CaretRightOutlined from '@ant-design/icons/CaretRightOutlined';
import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { Button } from 'antd';
import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { CopyButton } from '@/ui/CopyButton';
import { IconButton } from '@/ui/IconButton';
import type { CredentialAction } from './CredentialConfirmDialog';
import css from './cells.module.css';
import type { Credential } from './queries';

interface CellProps {
  credential: Credential;
}

/** The app key, by which a program identifies itself; it is not secret. */
export function AppKey({ credential: { name, appKey } }: CellProps) {
  const { t } = useTranslation();
  const text = useRef<HTMLElement>(null);
  return (
    <span className={css.key}>
      <code ref={text} className={css.code} title={appKey}>
        {appKey}
      </code>
      <CopyButton textRef={text} label={`${t('app.copyKey')}: ${name}`} quiet className={css.copy} />
    </span>
  );
}

/** When the key was created and when it was last used. */
export function Times({ credential: { createTime, lastUseTime } }: CellProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const made = useClock(useCallback((now: number) => format.moment(createTime, now), [format, createTime]));
  const age = useClock(
    useCallback((now: number) => (lastUseTime ? format.ago(lastUseTime, now) : ''), [format, lastUseTime]),
  );
  return (
    <span className={css.times}>
      <time dateTime={new Date(createTime).toISOString()} title={format.absolute(createTime)}>
        {made}
      </time>
      <span className={css.use} title={lastUseTime ? format.absolute(lastUseTime) : undefined}>
        {lastUseTime ? t('app.lastUse', { age }) : t('app.neverUsed')}
      </span>
    </span>
  );
}

/** How often it was used: in the last day and in the last month. */
export function Requests({ credential: { requests24h, requests30d } }: CellProps) {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (
    <span className={css.requests}>
      <span>{t('app.day', { requests: number(requests24h) })}</span>
      <span className={css.use}>{t('app.month', { requests: number(requests30d) })}</span>
    </span>
  );
}

export function Actions({ credential, onAsk }: CellProps & { onAsk: (asked: CredentialAction) => void }) {
  const { t } = useTranslation();
  const open = credential.enabled === 1;
  const word = t(open ? 'app.close' : 'app.open');
  return (
    <span className={css.actions}>
      <Button
        type="text"
        size="small"
        className={css.toggle}
        icon={open ? <StopOutlined aria-hidden="true" /> : <CaretRightOutlined aria-hidden="true" />}
        aria-label={`${word}: ${credential.name}`}
        onClick={() => onAsk({ what: 'toggle', credential })}
      >
        {word}
      </Button>
      <IconButton
        label={`${t('common.delete')}: ${credential.name}`}
        icon={<DeleteOutlined aria-hidden="true" />}
        className={css.delete}
        onClick={() => onAsk({ what: 'delete', credential })}
      />
    </span>
  );
}
